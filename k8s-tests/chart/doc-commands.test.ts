import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { configSchemas } from "../../src/platform/config";
import { packageRoot } from "../../src/platform/process/version";
import { generatedKinds } from "./generated";
import { type KubernetesObject, matrix, render } from "./helm";
import { containersOf, workloads } from "./pods";
import { chartFolder, readValues } from "./values/values-schema";

/** Commands in the docs name only things that exist. */
const below = (folder: string, ending: string): string[] =>
  readdirSync(join(packageRoot, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));

const read = (path: string) => readFileSync(join(packageRoot, path), "utf8");
const notes = "charts/fleet-gateway/templates/NOTES.txt";
const pages = ["README.md", "CONTRIBUTING.md", "bench/README.md", notes, "charts/fleet-gateway/README.md"]
  .concat(below("docs", ".md"))
  .map((path) => ({ path, text: read(path).replaceAll("{{ .Release.Name }}", "fleet") }));

/** `docs/a.md: name` for each name on a page that does not exist. */
function missing(pattern: RegExp, isThere: (...groups: string[]) => boolean): string[] {
  let seen = 0;
  const faults = pages.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      seen++;
      return isThere(...match.slice(1)) ? [] : [`${path}: ${match[0]}`];
    }),
  );
  // A pattern that finds nothing would never fault anything.
  expect(seen).toBeGreaterThan(2);
  return faults;
}

describe("in the rendered chart", () => {
  const objects = new Map<string, KubernetesObject>();
  const generated = new Set<string>();
  const containers = new Map<string, Set<string>>();

  beforeAll(async () => {
    // Made by hand.
    for (const [, name = ""] of read("docs/install.md").matchAll(/^kubectl .*create secret generic (\S+)/gm))
      generated.add(named("secret", name));
    for (const { values, example } of matrix) {
      const rendered = await render(values, example);
      for (const object of rendered)
        objects.set(named(object.kind.toLowerCase(), object.metadata.name), object);
      // Made in the cluster.
      for (const name of Object.keys(generatedKinds(rendered))) generated.add(named("secret", name));
      for (const { object, pod } of workloads(rendered)) {
        const key = `${object.kind.toLowerCase()}/${object.metadata.name}`;
        const known = containers.get(key) ?? new Set();
        for (const { name } of containersOf(pod)) known.add(name);
        containers.set(key, known);
      }
    }
  });

  const named = (kind: string, name: string) => `${kind}/${name}`;
  const kinds = "deployment|daemonset|statefulset|job|service|secret|configmap|lease|networkpolicy";

  test("every object of a command is one that the chart makes", () => {
    const pattern = new RegExp(`kubectl[^\`\\n]*? (${kinds})[/ ]((?:fleet-[\\w-]+ ?)+)`, "g");
    expect(
      missing(pattern, (kind, names) =>
        names
          .trim()
          .split(" ")
          .every((name) => objects.has(named(kind, name)) || generated.has(named(kind, name))),
      ),
    ).toEqual([]);
  });

  test("every container of a command is one of the object's", () => {
    const pattern = new RegExp(`(${kinds})/(fleet-[\\w-]+) -c ([\\w-]+)`, "g");
    expect(
      missing(pattern, (kind, name, container) => containers.get(named(kind, name))?.has(container) ?? false),
    ).toEqual([]);
  });
});

/** Programs of the images: ours by its Dockerfile, without procps, and the servers'. */
const programs: Readonly<Record<string, readonly string[]>> = {
  "statefulset/fleet-postgres": ["psql", "pg_dump", "pg_restore", "createdb", "dropdb"],
  "statefulset/fleet-redis": ["redis-cli"],
};
const ofOurImage = ["node", "sh", "wg", "ipset", "conntrack", "iptables-save"];

test("every program that a command runs in a container is in its image", () => {
  const pattern = /kubectl[^`\n]* exec (?:-i )?([\w/-]+)(?: -c \w+)? --(?: \\)?\s+([\w-]+)/g;
  expect(missing(pattern, (object, name) => (programs[object] ?? ofOurImage).includes(name))).toEqual([]);
});

test("every value in the docs is one of the chart's", () => {
  const paths = readValues().rows.map(({ path }) => path);
  const ofServers = ["postgres", "redis", "minio"].flatMap((name) =>
    [...readFileSync(join(chartFolder, "charts", name, "values.yaml"), "utf8").matchAll(/^(\w+):/gm)].map(
      ([, key]) => `${name}.${key}`,
    ),
  );
  const known = [...paths, ...ofServers];
  const roots = [...new Set(paths.map((path) => path.split(".")[0]))].join("|");
  /** A value, what holds it, or a key of one that is the user's own. */
  const isThere = (path: string) =>
    known.some((one) => one === path || one.startsWith(`${path}.`) || path.startsWith(`${one}.`));
  expect(missing(/--set[ =]'?([\w.]+)/g, isThere)).toEqual([]);
  // A file name with the same beginning is no value.
  const pattern = new RegExp(
    `\`((?:${roots})(?:\\.[a-z]\\w*)+)(?=[\`:=])(?<!\\.(?:md|ts|js|json|yaml))`,
    "g",
  );
  expect(missing(pattern, isThere)).toEqual([]);
});

test("every variable in the docs is read by a process", () => {
  const known = new Set(Object.values(configSchemas).flatMap((schema) => Object.keys(schema.shape)));
  expect(
    missing(
      /`([A-Z][A-Z0-9]*_[A-Z0-9_]+)[`=]/g,
      (name) => known.has(name) || ofOthers.has(name) || examples.has(name),
    ),
  ).toEqual([]);
});

/** The docs' name for a variable that names a file, and the variable that docs/adding-things.md adds. */
const examples = new Set(["NAME_FILE", "RELAY_MAX_FRAME_BYTES"]);

/** ArduPilot's and PX4's parameters and commands, and variables of a drone's `.env`, of a video command, of AWS's SDK and of a test. */
const ofOthers = new Set([
  ...["SYSID_MYGCS", "MAV_GCS_SYSID", "FS_GCS_ENABLE", "FS_GCS_TIMEOUT", "FS_OPTIONS"],
  ...[
    "FENCE_ENABLE",
    "FENCE_AUTOENABLE",
    "FENCE_ACTION",
    "GF_ACTION",
    "NAV_DLL_ACT",
    "NAV_RCL_ACT",
    "COM_RCL_EXCEPT",
  ],
  ...["DO_MOTOR_TEST", "ACTUATOR_TEST", "FUZZ_MINUTES", "TARGET_UNCONFIRMED"],
  ...["AUTOPILOT_DEVICE", "AUTOPILOT_BAUD", "MAVLINK_PORT", "LOG_FOLDER"],
  ...["VIDEO_TOPIC", "FUZZ_RUNS", "FUZZ_SEED", "LOG_DISARMED", "PEERS_PYTHON", "AWS_REGION"],
]);

test("every metric and database role in the docs exists", () => {
  const sources = [...below("src", ".ts"), "charts/fleet-gateway/templates/_env.tpl"].filter(
    (path) => !path.endsWith(".test.ts"),
  );
  const known = new Set(sources.flatMap((path) => read(path).match(/\bfleet_\w+/g) ?? []));
  expect(
    missing(
      /\b(fleet_\w+)/g,
      (name) => known.has(name) || known.has(name.replace(/_(bucket|sum|count)$/, "")),
    ),
  ).toEqual([]);
});

test("the runbook of a failing reconciliation lists every stage", () => {
  const [, union = ""] = /export type Stage =([^;]*);/.exec(read("src/tunnel/metrics.ts")) ?? [];
  const stages = [...union.matchAll(/"(.*?)"/g)].map(([, stage]) => stage);
  const [, list = ""] =
    /Look up the `stage`:(.*?)\n3\./s.exec(read("docs/runbooks/tunnel-reconcile-failing.md")) ?? [];
  const listed = [...list.matchAll(/^ +- (.*?):/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`(.*?)`/g)].map(([, stage]) => stage),
  );
  expect(stages.length).toBeGreaterThan(5);
  expect(listed.toSorted()).toEqual(stages.toSorted());
});

test.each([
  ["10.1.2.3", "10.1.2.3:5050"],
  ["2001:db8::3", "[2001:db8::3]:5050"],
])("the runbook of stale peers asks the hub on a node of address %s", async (HOST, host) => {
  const [, program = ""] = /node -e '([^']*)'/.exec(read("docs/runbooks/tunnel-peers-stale.md")) ?? [];
  const urls: string[] = [];
  const fetched = async (url: string) => {
    urls.push(url);
    return new Response();
  };
  new Function("fetch", "process", "console", program)(fetched, { env: { HOST } }, { log: () => {} });
  expect(urls.map((url) => new URL(url).host)).toEqual([host]);
});

test("every program, operator's command and script in the docs exists", () => {
  const commands = new Set(
    [...read("src/admin/index.ts").matchAll(/^ {2}"?([a-z-]+)"?: \(\) => require\(/gm)].map(
      ([, name]) => name,
    ),
  );
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  expect(missing(/dist\/(cmd\/\w+)\.js/g, (path) => existsSync(join(packageRoot, `${path}.ts`)))).toEqual([]);
  expect(missing(/(?:`(?:cmd\/)?admin|admin\.js) ([a-z][\w-]*)/g, (name) => commands.has(name))).toEqual([]);
  expect(missing(/npm run (?:--silent )?([\w:-]+)/g, (name) => name in scripts)).toEqual([]);
});

test("every page is linked from another", () => {
  const linked = new Set(
    pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\(([^)#:]+\.md)/g)].map(([, file = ""]) => join(dirname(path), file)),
    ),
  );
  // Alerts lead to their runbooks.
  const own = below("docs", ".md").filter((path) => !path.startsWith("docs/runbooks/"));
  expect(own.filter((path) => !linked.has(path))).toEqual([]);
});

test("every link leads to an existing file and heading", () => {
  const anchors = (text: string) =>
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    );
  const faults = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].flatMap(([link, file, anchor]) => {
      const target = file ? join(dirname(path), file) : path;
      if (!existsSync(join(packageRoot, target))) return [`${path}: ${link}`];
      return anchor && !anchors(read(target)).includes(anchor) ? [`${path}: ${link}`] : [];
    }),
  );
  expect(faults).toEqual([]);
});
