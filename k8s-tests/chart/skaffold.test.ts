import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import { parse } from "yaml";
import { packageRoot } from "../../src/platform/process/version";
import { type KubernetesObject, leasedHubs, render, tool } from "./helm";
import { type Container, workloads } from "./pods";

interface Artifact {
  readonly image: string;
  readonly docker: {
    readonly dockerfile: string;
    readonly target: string;
    readonly buildArgs?: Readonly<Record<string, string>>;
  };
  readonly sync: { readonly manual: readonly { readonly src: string; readonly dest: string }[] };
}
interface Release {
  readonly name: string;
  readonly chartPath: string;
  readonly valuesFiles: readonly string[];
  readonly setValues: Readonly<Record<string, unknown>>;
  readonly setValueTemplates: Readonly<Record<string, string>>;
}
interface PortForward {
  readonly resourceType: string;
  readonly resourceName: string;
  readonly namespace: string;
  readonly port: number;
  readonly localPort: number;
}
interface Skaffold {
  readonly apiVersion: string;
  readonly build: { readonly artifacts: readonly Artifact[] };
  readonly deploy: { readonly helm: { readonly releases: readonly Release[] } };
  readonly portForward: readonly PortForward[];
  readonly profiles: readonly {
    readonly name: string;
    readonly patches: readonly { readonly op: string; readonly path: string; readonly value: unknown }[];
  }[];
}

const text = readFileSync(join(packageRoot, "skaffold.yaml"), "utf8");
const plain = parse(text) as Skaffold;
const dockerfile = readFileSync(join(packageRoot, "Dockerfile"), "utf8");

/** The file with these profiles applied; their patches only add. */
function withProfiles(names: readonly string[]): Skaffold {
  const file = parse(text) as Skaffold;
  for (const { op, path, value } of plain.profiles
    .filter(({ name }) => names.includes(name))
    .flatMap(({ patches }) => patches)) {
    expect(op).toBe("add");
    const keys = path.split("/").slice(1);
    const last = keys.pop() as string;
    let place: unknown = file;
    for (const key of keys) place = (place as Record<string, unknown>)[key];
    if (Array.isArray(place)) place.push(value);
    else (place as Record<string, unknown>)[last] = value;
  }
  return file;
}

interface Served {
  readonly container: Container;
  readonly objectName: string;
  /** Whether it can write where sources are synced. */
  readonly isWritable: boolean;
}

/** The containers that stay: those that skaffold finds when a file changes. */
const servedBy = (objects: readonly KubernetesObject[]): Served[] =>
  workloads(objects)
    .filter(({ isService }) => isService)
    .flatMap(({ object, pod }) =>
      pod.containers.map((container) => {
        const mount = container.volumeMounts?.find(({ mountPath }) => mountPath === "/app/src");
        const volume = pod.volumes?.find(({ name }) => name === mount?.name);
        return { container, objectName: object.metadata.name, isWritable: volume?.emptyDir !== undefined };
      }),
    );

const combinations = [[], ["worker"], ["debug"], ["worker", "debug"]];

test("every profile is rendered, alone and with the other", () => {
  expect(plain.profiles.map(({ name }) => name)).toEqual(combinations.at(-1));
});

test("skaffold's own schema accepts skaffold.yaml, and refuses a misspelt key", () => {
  const tools = readFileSync(join(packageRoot, ".ci/charts/tools"), "utf8");
  const [, version] = /^skaffold=(.*)$/m.exec(tools) ?? [];
  const name = `${plain.apiVersion.replace("skaffold/", "")}.json`;
  const schema = JSON.parse(readFileSync(join(tool(`skaffold-${version}`), name), "utf8"));
  const isRight = new Ajv({ strict: false }).compile(schema);
  expect([isRight(plain), isRight.errors]).toEqual([true, null]);
  expect(isRight(parse(text.replace("setValues:", "setValue:")))).toBe(false);
});

test("sources are also synced into the container beside leased hubs", async () => {
  const served = servedBy(await render({ ...leasedHubs, development: { sync: true } }));
  const ofOurs = served.filter(({ container }) => container.image.startsWith("fleet-gateway:"));
  expect(ofOurs.map(({ objectName }) => objectName)).toContain("fleet-active-hub");
  expect(ofOurs.filter(({ isWritable }) => !isWritable)).toEqual([]);
});

describe.each(combinations.map((profiles) => ({ profiles })))(
  "with the profiles $profiles",
  ({ profiles }) => {
    const { build, deploy, portForward } = withProfiles(profiles);
    const images = build.artifacts.map(({ image }) => image);
    let objects: KubernetesObject[];
    let served: Served[];

    beforeAll(async () => {
      const [release] = deploy.helm.releases as [Release];
      const [valuesFile] = release.valuesFiles as [string];
      // An image's names in the environment of skaffold's templates.
      const built = Object.entries(release.setValueTemplates).map(([path, template]) => [
        path,
        template.replace(/^\{\{\.IMAGE_(REPO|TAG)_(\w+)\}\}$/, (_, part, image) =>
          part === "TAG" ? "built" : image.replaceAll("_", "-"),
        ),
      ]);
      objects = await render({}, /examples\/(.*)\.yaml$/.exec(valuesFile)?.[1], {
        ...(release.setValues as Record<string, string>),
        ...Object.fromEntries(built),
      });
      served = servedBy(objects);
    });

    test("the release is the chart, with an existing values file", () => {
      expect(deploy.helm.releases).toHaveLength(1);
      for (const { name, chartPath, valuesFiles } of deploy.helm.releases) {
        expect([name, chartPath]).toEqual(["fleet", "charts/fleet-gateway"]);
        expect(valuesFiles.filter((file) => !existsSync(join(packageRoot, file)))).toEqual([]);
      }
    });

    test("the images that run are exactly the images that are built", () => {
      const ours = served.map(({ container }) => container.image).filter((image) => !/^[\w.]+\//.test(image));
      expect(new Set(ours)).toEqual(new Set(images.map((image) => `${image}:built`)));
      expect(served.some(({ objectName }) => objectName === "fleet-worker")).toBe(
        profiles.includes("worker"),
      );
    });

    test("every target and argument of a build is in the Dockerfile", () => {
      const targets = [...dockerfile.matchAll(/^FROM .* AS (\S+)$/gm)].map(([, name]) => name);
      for (const { docker } of build.artifacts) {
        expect(docker.dockerfile).toBe("Dockerfile");
        expect(targets).toContain(docker.target);
        for (const [name, value] of Object.entries(docker.buildArgs ?? {})) {
          expect(dockerfile).toMatch(new RegExp(`^ARG ${name}=`, "m"));
          expect(targets).toContain(value);
        }
      }
    });

    test("a synced source is in the image, and writable and run in every container that it is synced into", () => {
      for (const { image, docker, sync } of build.artifacts) {
        expect(sync.manual).toEqual([{ src: "src/**/*.ts", dest: "/app" }]);
        const stage = dockerfile.split(/^FROM /m).find((one) => one.includes(` AS ${docker.target}\n`));
        expect(stage).toMatch(/^COPY src src$/m);
        const into = served.filter(({ container }) => container.image === `${image}:built`);
        expect(into.length).toBeGreaterThan(3);
        expect(into.filter(({ isWritable }) => !isWritable).map(({ objectName }) => objectName)).toEqual([]);
        // A change of the sources ends no tunnel.
        const running = into.filter(({ container }) => container.name !== "wireguard-go");
        for (const { container } of running) {
          expect(container.args).toEqual(expect.arrayContaining(["--watch", "./.ci/compile-on-load.cjs"]));
          const file = container.args?.at(-1) as string;
          expect([file, existsSync(join(packageRoot, file))]).toEqual([`cmd/${container.name}.ts`, true]);
        }
      }
    });

    test("every forwarded port is one of the release's, and no local port is used twice", () => {
      for (const { resourceType, resourceName, namespace, port } of portForward) {
        expect(namespace).toBe("fleet");
        const found = objects.find(
          ({ kind, metadata }) => kind.toLowerCase() === resourceType && metadata.name === resourceName,
        );
        const ports = (found?.spec as { ports?: { port: number }[] } | undefined)?.ports ?? [];
        const debugged = served.filter(
          ({ container, objectName }) => objectName === resourceName && container.args?.includes("--inspect"),
        );
        expect([resourceName, ...ports.map((one) => one.port), ...debugged.map(() => 9229)]).toContain(port);
      }
      const local = portForward.map(({ localPort }) => localPort);
      expect(local.filter((port, at) => local.indexOf(port) !== at)).toEqual([]);
    });

    test("a process may stop at a breakpoint only with the debug profile", () => {
      const held = served.filter(({ container }) => container.args?.includes("--inspect"));
      expect(held.length > 0).toBe(profiles.includes("debug"));
    });
  },
);
