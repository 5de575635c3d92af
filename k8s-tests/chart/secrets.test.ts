import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/platform/process/version";
import { generatedKinds } from "./generated";
import { type KubernetesObject, matrix, render } from "./helm";
import { type Container, containersOf, processOf, type Variable, workloads } from "./pods";
import { secretVariables } from "./values/variables";

describe.each(matrix)("with $name", ({ values, example }) => {
  let objects: KubernetesObject[];
  beforeAll(async () => {
    objects = await render(values, example);
  });

  test("every referenced Secret is made by the chart, or named in the values", () => {
    const given = JSON.stringify(values) + JSON.stringify(exampleSecrets[example ?? ""] ?? []);
    const made = new Map(
      Object.entries(generatedKinds(objects)).map(([name, kinds]) => [name, Object.keys(kinds)]),
    );
    for (const { metadata, stringData } of objects.filter(({ kind }) => kind === "Secret")) {
      made.set(metadata.name, Object.keys(stringData as object));
    }
    for (const { secret, key } of secretReferences(objects)) {
      if (given.includes(`"${secret}"`)) continue;
      expect(made.get(secret)).toContain(key);
    }
  });

  test("no manifest holds a key, since a rollback would restore it", () => {
    const rendered = objects.filter(({ kind }) => kind === "Secret").map(({ metadata }) => metadata.name);
    const isGiven = JSON.stringify(values).includes('"mail":{"url"') || example === "minimal";
    expect(rendered).toEqual(isGiven ? ["fleet-mail"] : []);
  });

  test("no value of a rendered Secret is anywhere else", () => {
    const secrets = objects
      .filter(({ kind }) => kind === "Secret")
      .flatMap(({ stringData }) => Object.values(stringData as Record<string, string>))
      .filter((value) => value.length >= 16);
    const rest = JSON.stringify(objects.filter(({ kind }) => kind !== "Secret"));
    expect(secrets.filter((value) => rest.includes(JSON.stringify(value).slice(1, -1)))).toEqual([]);
  });

  test("every secret of a process or a server comes from a Secret", () => {
    let seen = 0;
    for (const { object, container } of containers(objects)) {
      for (const variable of (container.env ?? []).filter((one) => isSecret(container, one.name))) {
        seen++;
        const where = `${object.metadata.name}/${container.name}: ${variable.name}`;
        expect([where, isFromSecret(variable) || isPublic(variable, container)]).toEqual([where, true]);
      }
    }
    expect(seen).toBeGreaterThan(3);
  });

  test("no argument holds a secret variable, since every process of the node could read it", () => {
    for (const { container } of containers(objects)) {
      const text = [...(container.command ?? []), ...(container.args ?? [])].join(" ");
      const named = [...text.matchAll(/\$\((\w+)\)/g)].map(([, name = ""]) => name);
      expect(named.filter((name) => isSecret(container, name))).toEqual([]);
    }
  });
});

const containers = (objects: readonly KubernetesObject[]) =>
  workloads(objects).flatMap(({ object, pod }) =>
    containersOf(pod).map((container) => ({ object, container })),
  );

/** As the process's own configuration has it; of a server that is not ours, by its name. */
const isSecret = (container: Container, name: string): boolean =>
  secretVariables(processOf(container)).includes(name) || /(SECRET|PASSWORD|_KEY)$/.test(name);

const isFromSecret = ({ value, valueFrom }: Variable): boolean =>
  value === undefined && valueFrom?.secretKeyRef !== undefined;

/** A server's address without a password, or with one that the kubelet puts in; or the bundled store's name of a user. */
function isPublic({ name, value = "" }: Variable, { env = [] }: Container): boolean {
  if (name === "S3_ACCESS_KEY_ID") return /^fleet(-(gateway|worker|tunnel))?$/.test(value);
  const address = /^\w+:\/\/(?:\w+:\$\((\w+)\)@)?[\w.-]+:\d+(?:\/\w*)?$/.exec(value);
  if (!address) return false;
  const [, password] = address;
  return password === undefined || env.some((one) => one.name === password && isFromSecret(one));
}

test("the installation page has a line for every Secret, with the keys that its table lists", () => {
  const page = readFileSync(join(packageRoot, "docs/install.md"), "utf8");
  const listed = [...page.matchAll(/^\| `(fleet-[\w-]+)` \| `[\w.]+` \| (.*) \|$/gm)]
    // `admin keys` makes these two.
    .filter(([, name = ""]) => !["fleet-keys", "fleet-hub-keys"].includes(name))
    .map(([, name, keys = ""]) => ({ name, keys: [...keys.matchAll(/`([\w-]+)`/g)].map(([, key]) => key) }));
  const made = [
    ...page.matchAll(/^kubectl -n fleet create secret generic (fleet-[\w-]+)((?: --from-literal=.*)+)$/gm),
  ].map(([, name, literals = ""]) => ({
    name,
    keys: [...literals.matchAll(/--from-literal=([\w-]+)=/g)].map(([, key]) => key),
  }));
  expect(listed.length).toBeGreaterThan(9);
  const byName = (a: { name?: string }, b: { name?: string }) => String(a.name).localeCompare(String(b.name));
  expect(made.toSorted(byName)).toEqual(listed.toSorted(byName));
});

/** Secrets that the examples name, and docs/install.md describes. */
const exampleSecrets: Readonly<Record<string, readonly string[]>> = {
  production: [
    ...["fleet-keys", "fleet-hub-keys", "fleet-mail", "fleet-billing", "fleet-drone-registry"],
    ...["fleet-external-database", "fleet-external-redis", "fleet-external-objects"],
  ],
  aws: ["fleet-keys", "fleet-hub-keys", "fleet-mail", "fleet-external-database", "fleet-redis"],
};

function secretReferences(objects: readonly KubernetesObject[]): { secret: string; key: string }[] {
  return workloads(objects).flatMap(({ pod }) => [
    ...containersOf(pod).flatMap(({ env = [] }) =>
      env.flatMap(({ valueFrom }) =>
        valueFrom?.secretKeyRef
          ? [{ secret: valueFrom.secretKeyRef.name, key: valueFrom.secretKeyRef.key }]
          : [],
      ),
    ),
    ...(pod.volumes ?? []).flatMap(({ secret }) =>
      (secret?.items ?? []).map(({ key }) => ({ secret: secret?.secretName ?? "", key })),
    ),
  ]);
}
