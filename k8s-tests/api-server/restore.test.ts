import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppsV1Api, CoreV1Api } from "@kubernetes/client-node";
import { packageRoot } from "../../src/platform/process/version";
import { freshFolder } from "../../src/testing";
import { hubAddress, run } from "../chart/helm";
import { chartFolder as chart } from "../chart/values/values-schema";
import { apiServer } from "./config";
import { helmIn } from "./helm-in";
import { secretsIn } from "./secrets-in";

/** docs/operation/backup.md's commands that need an API server and nothing else. Run by k8s-tests/api-server/run. */
const page = readFileSync(join(packageRoot, "docs/operation/backup.md"), "utf8");
const commands = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block).join("");

/** The command that begins so, with the lines that it goes on with. */
function command(beginning: string): string {
  const at = commands.indexOf(`\n${beginning}`) + 1;
  if (at === 0) throw new Error(`docs/operation/backup.md has no command "${beginning}".`);
  const [text = ""] = /^(?:.*\\\n)*.*$/m.exec(commands.slice(at)) ?? [];
  return text;
}

const folder = freshFolder("restore");
const [old, fresh] = [`restore-old-${process.pid}`, `restore-new-${process.pid}`];
let core: CoreV1Api;
let apps: AppsV1Api;

/** As an operator of a release in that namespace types them. */
const type = (namespace: string, ...lines: string[]) =>
  run("bash", ["-euc", lines.join("\n").replaceAll("-n fleet ", `-n ${namespace} `)], { cwd: folder });

const values = {
  ...hubAddress,
  worker: { enabled: true },
  relay: { autoscaling: { enabled: true } },
  gateway: { replicas: 2 },
};
const helm = helmIn(fresh);

const replicas = async () =>
  Object.fromEntries(
    (await apps.listNamespacedDeployment({ namespace: fresh })).items.map(({ metadata, spec }) => [
      metadata?.name,
      spec?.replicas,
    ]),
  );

beforeAll(async () => {
  const config = apiServer();
  core = config.makeApiClient(CoreV1Api);
  apps = config.makeApiClient(AppsV1Api);
  for (const name of [old, fresh]) await core.createNamespace({ body: { metadata: { name } } });
});

test("Secrets of one cluster are applied in another, over those that a release has there", async () => {
  const annotations = { "meta.helm.sh/release-name": "fleet", "meta.helm.sh/release-namespace": old };
  for (const name of ["fleet-keys", "fleet-hub-keys"]) {
    const body = { metadata: { name, annotations }, stringData: { KEY: `of the old ${name}` } };
    await core.createNamespacedSecret({ namespace: old, body });
  }
  await type(old, command("kubectl -n fleet get secret fleet-keys"));
  await helm(["install", "fleet", chart], values);
  await secretsIn(fresh).madeIn("fleet");
  await type(fresh, command("kubectl -n fleet apply"));
  for (const name of ["fleet-keys", "fleet-hub-keys"]) {
    const { data, metadata } = await core.readNamespacedSecret({ name, namespace: fresh });
    expect(Buffer.from(data?.KEY ?? "", "base64").toString()).toBe(`of the old ${name}`);
    expect(metadata?.annotations?.["meta.helm.sh/release-namespace"]).not.toBe(old);
  }
});

test("every deployment that writes is scaled to zero, autoscaled or not, and back to the release's replicas", async () => {
  await type(
    fresh,
    command("parts="),
    command('kubectl -n fleet scale deployment --selector "$parts" --replicas=0'),
    command("kubectl -n fleet wait pod"),
  );
  expect(await replicas()).toEqual({ "fleet-gateway": 0, "fleet-relay": 0, "fleet-worker": 0 });
  await type(
    fresh,
    command("parts="),
    command('kubectl -n fleet scale deployment --selector "$parts" --replicas=1'),
  );
  await helm(["upgrade", "fleet", chart], values);
  // From one on the autoscaler sees to the relay.
  expect(await replicas()).toEqual({ "fleet-gateway": 2, "fleet-relay": 1, "fleet-worker": 1 });
});
