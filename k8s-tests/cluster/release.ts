import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { AppsV1Api, CoreV1Api, KubeConfig, type V1Pod } from "@kubernetes/client-node";
import { packageRoot } from "../../src/platform/version";
import { until } from "../../src/testing/until";

const run = promisify(execFile);
const chart = join(packageRoot, "charts/fleet-gateway");

export const namespace = "fleet-test";
export const release = "fleet";
/** The Ingress as this machine reaches it. */
export const origin = process.env.FLEET_ORIGIN ?? "http://fleet.localtest.me:8088";

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
export const core = kubeConfig.makeApiClient(CoreV1Api);
export const apps = kubeConfig.makeApiClient(AppsV1Api);

const image = [
  ...["--set", `image.repository=${process.env.FLEET_IMAGE_REPOSITORY ?? "fleet-gateway"}`],
  ...["--set", `image.tag=${process.env.FLEET_IMAGE_TAG ?? ""}`],
];

async function helm(...args: string[]): Promise<string> {
  const { stdout } = await run("helm", ["--namespace", namespace, ...args], { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/** Install or upgrade with the kind values and these settings, and wait until everything is ready. */
export const deploy = (...settings: string[]): Promise<string> =>
  helm(
    ...["upgrade", "--install", release, chart, "--create-namespace", "--wait", "--timeout", "10m"],
    ...["--values", join(chart, "examples/kind.yaml"), ...image],
    ...settings.flatMap((setting) => ["--set", setting]),
  );
export const rollBack = (): Promise<string> => helm("rollback", release, "--wait", "--timeout", "10m");
export const runHelmTest = (): Promise<string> => helm("test", release, "--logs");
export const uninstall = (): Promise<string> => helm("uninstall", release, "--wait", "--timeout", "10m");

/** Run a program in the pod of a component; resolves with what it printed. */
export async function exec(
  target: string,
  container: string,
  command: string[],
  input = "",
): Promise<string> {
  const promise = run("kubectl", [
    "--namespace",
    namespace,
    "exec",
    "-i",
    target,
    "-c",
    container,
    "--",
    ...command,
  ]);
  promise.child.stdin?.end(input);
  return (await promise).stdout;
}

export async function podsOf(component: string): Promise<V1Pod[]> {
  const labelSelector = `app.kubernetes.io/instance=${release},app.kubernetes.io/component=${component}`;
  return (await core.listNamespacedPod({ namespace, labelSelector })).items;
}

export const isReady = (pod: V1Pod): boolean =>
  !pod.metadata?.deletionTimestamp &&
  (pod.status?.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");

/** Delete every pod of a component, and wait until others are ready in their place. */
export async function killPods(component: string): Promise<void> {
  const before = await podsOf(component);
  for (const { metadata } of before) {
    await core.deleteNamespacedPod({ namespace, name: metadata?.name ?? "", gracePeriodSeconds: 0 });
  }
  const old = new Set(before.map(({ metadata }) => metadata?.uid));
  await until(async () => {
    const now = (await podsOf(component)).filter((pod) => isReady(pod) && !old.has(pod.metadata?.uid));
    return now.length >= before.length;
  }, 180_000);
}
