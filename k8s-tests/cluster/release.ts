import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import {
  AppsV1Api,
  AutoscalingV2Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  DiscoveryV1Api,
  KubeConfig,
  NetworkingV1Api,
  type V1Pod,
  type V1PodSpec,
  type V1SecurityContext,
} from "@kubernetes/client-node";
import { packageRoot, version } from "../../src/platform/process/version";
import { atEndOfFile } from "../../src/testing";
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
export const autoscaling = kubeConfig.makeApiClient(AutoscalingV2Api);
export const customObjects = kubeConfig.makeApiClient(CustomObjectsApi);
export const coordination = kubeConfig.makeApiClient(CoordinationV1Api);
export const discovery = kubeConfig.makeApiClient(DiscoveryV1Api);
export const networking = kubeConfig.makeApiClient(NetworkingV1Api);

export const image = {
  repository: process.env.FLEET_IMAGE_REPOSITORY ?? "fleet-gateway",
  tag: process.env.FLEET_IMAGE_TAG ?? "",
};
/** The address of the hub for clients outside. */
export const hubHost = process.env.FLEET_VPN_HOST ?? "127.0.0.1";
/** Where the ingress controller runs. */
export const ingressNamespace = process.env.FLEET_INGRESS_NAMESPACE ?? "traefik";

const ownImage = `${image.repository}:${image.tag || version}`;

/** As a NetworkPolicy's peer. */
export const podsIn = (name: string): object => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
});

/** A namespace that is there until the end of the file. */
export async function freshNamespace(name: string): Promise<void> {
  await core.createNamespace({ body: { metadata: { name } } });
  atEndOfFile(() => deleteNamespace(name));
}

/** With everything in it; resolves when it is gone. */
export async function deleteNamespace(name: string): Promise<void> {
  await core.deleteNamespace({ name });
  await until(async () => {
    const namespaces = await core.listNamespace();
    return namespaces.items.every(({ metadata }) => metadata?.name !== name);
  }, 120_000);
}

async function helm(...args: string[]): Promise<string> {
  const { stdout } = await run("helm", ["--namespace", namespace, ...args], { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/**
 * Install or upgrade with the values of examples and these, by their dotted names, and wait until everything is ready.
 * Only the ingress controller may call the public ports.
 */
export const deployExamples = (
  examples: readonly string[],
  values: Readonly<Record<string, unknown>>,
): Promise<string> =>
  helm(
    ...["upgrade", "--install", release, chart, "--create-namespace"],
    ...["--wait", "--wait-for-jobs", "--timeout", "10m"],
    ...examples.flatMap((example) => ["--values", join(chart, `examples/${example}.yaml`)]),
    ...Object.entries({
      "image.repository": image.repository,
      "image.tag": image.tag,
      "tunnel.endpointHost": hubHost,
      "networkPolicy.publicFrom": [podsIn(ingressNamespace)],
      ...values,
    }).flatMap(([name, value]) => ["--set-json", `${name}=${JSON.stringify(value)}`]),
  );

/**
 * The kind values with everything that they leave out: data is kept, so that a killed server has it afterwards, and a
 * worker has its own pod. The vehicle flies no faster than in life, to be in the air for the whole of it.
 */
export const deploy = (values: Readonly<Record<string, unknown>> = {}): Promise<string> =>
  deployExamples(["kind"], {
    "simulator.speedup": 1,
    "worker.enabled": true,
    "worker.videoPackaging": false,
    "postgres.persistence.enabled": true,
    "redis.persistence.enabled": true,
    "minio.persistence.enabled": true,
    ...values,
  });
export const rollBack = (): Promise<string> => helm("rollback", release, "--wait", "--timeout", "10m");
const rollout = (verb: string, workload: string) =>
  run("kubectl", ["--namespace", namespace, "rollout", verb, workload.replace("/", `/${release}-`)]);
/** Resolves when every pod of `daemonset/tunnel` is of its newest template, and ready. */
export const rolledOut = (workload: string) => rollout("status", workload);
/** Replaces the pods of `deployment/relay`, as an upgrade does, and waits until that is done. */
export async function restart(workload: string): Promise<void> {
  await rollout("restart", workload);
  await rolledOut(workload);
}
/** Its pod is gone when it has succeeded, and stays with its log when not. */
export async function expectHelmTestSucceeds(): Promise<void> {
  expect(await helm("test", release)).toMatch(/TEST SUITE: +fleet-test.*Phase: +Succeeded/s);
}
export const uninstall = (): Promise<string> => helm("uninstall", release, "--wait", "--timeout", "10m");

const inPod = (
  target: string,
  container: string,
  command: readonly string[],
  within = namespace,
): string[] => [...["--namespace", within, "exec", "-i", target, "-c", container, "--", ...command]];

/** Run a program in a pod; resolves with its output. */
export async function exec(
  target: string,
  container: string,
  command: readonly string[],
  input = "",
  within = namespace,
): Promise<string> {
  const promise = run("kubectl", inPod(target, container, command, within));
  promise.child.stdin?.end(input);
  return (await promise).stdout;
}

/** An operator's command, in a gateway. */
export const admin = (command: readonly string[], input = ""): Promise<string> =>
  exec(`deployment/${release}-gateway`, "gateway", ["node", "dist/cmd/admin.js", ...command], input);

const redisCli = (...words: string[]) =>
  [`statefulset/${release}-redis`, "redis", ["redis-cli", ...words]] as const;

/** Subscribe to a channel of the release's Redis. Resolves when subscribed, with the messages that arrive. */
export async function subscribed(channel: string): Promise<{ readonly messages: string[] }> {
  const child = spawn("kubectl", inPod(...redisCli("--json", "subscribe", channel)));
  atEndOfFile(async () => void child.kill());
  const messages: string[] = [];
  const confirmed = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (!line.startsWith("[")) return;
      const [kind, , payload] = JSON.parse(line) as [string, string, string];
      if (kind === "subscribe") resolve();
      else messages.push(payload);
    });
    child.once("exit", (code) => reject(new Error(`kubectl exec ended with ${code}.`)));
  });
  await confirmed;
  return { messages };
}

export const publish = (channel: string, message: string): Promise<string> =>
  exec(...redisCli("publish", channel, message));

/** Of one of ours its component, of a bundled server its name. */
export async function podsOf(part: string): Promise<V1Pod[]> {
  const bundled = ["postgres", "redis", "minio"].includes(part);
  const label = bundled ? `name=${part}` : `component=${part}`;
  const labelSelector = `app.kubernetes.io/instance=${release},app.kubernetes.io/${label}`;
  return (await core.listNamespacedPod({ namespace, labelSelector })).items;
}

/** Pods that the API server would refuse if the namespace allowed restricted pods only. */
export async function privilegedPods(): Promise<string[]> {
  const label = "pod-security.kubernetes.io/enforce=restricted";
  const args = ["label", "--dry-run=server", "--overwrite", "namespace", namespace, label];
  const { stderr } = await run("kubectl", args);
  return stderr.split("\n").filter((line) => line.startsWith("Warning: ") && !line.includes("existing pods"));
}

/** Run `look` without the release's NetworkPolicies. They are restored after it, and enforced a moment later. */
export async function withoutPolicies(look: () => Promise<unknown>): Promise<void> {
  const { items } = await networking.listNamespacedNetworkPolicy({ namespace });
  for (const { metadata } of items) {
    await networking.deleteNamespacedNetworkPolicy({ namespace, name: metadata?.name ?? "" });
  }
  try {
    await look();
  } finally {
    for (const { metadata: { name, labels, annotations } = {}, spec } of items) {
      await networking.createNamespacedNetworkPolicy({
        namespace,
        body: { metadata: { name, labels, annotations }, spec },
      });
    }
  }
}

/** A pod of our image with one container, which sleeps. Resolves when it runs. */
export async function startSleeper(
  within: string,
  name: string,
  container: string,
  more: Partial<V1PodSpec> = {},
  securityContext?: V1SecurityContext,
): Promise<void> {
  const sleeper = { name: container, image: ownImage, command: ["sleep", "infinity"], securityContext };
  const spec = { containers: [sleeper], terminationGracePeriodSeconds: 0, ...more };
  await core.createNamespacedPod({ namespace: within, body: { metadata: { name }, spec } });
  await until(async () => {
    const { status } = await core.readNamespacedPod({ namespace: within, name });
    return status?.phase === "Running";
  }, 60_000);
}

export const isReady = (pod: V1Pod): boolean =>
  !pod.metadata?.deletionTimestamp &&
  (pod.status?.conditions ?? []).some(({ type, status }) => type === "Ready" && status === "True");

/** Kill every pod of a part at once, and wait until new ones are ready. */
export const killPods = async (part: string): Promise<void> => replacePods(part, await podsOf(part));

/** Delete these pods of a part without a grace period, and wait until others are ready in their place. */
export async function replacePods(part: string, pods: readonly V1Pod[]): Promise<void> {
  const count = (await podsOf(part)).length;
  for (const { metadata } of pods) {
    await core.deleteNamespacedPod({ namespace, name: metadata?.name ?? "", gracePeriodSeconds: 0 });
  }
  const old = new Set(pods.map(({ metadata }) => metadata?.uid));
  await until(async () => {
    const now = await podsOf(part);
    return now.filter((pod) => isReady(pod) && !old.has(pod.metadata?.uid)).length >= count;
  }, 180_000);
}
