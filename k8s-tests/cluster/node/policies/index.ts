/**
 * A STAND-IN for the part of a cluster's network that enforces NetworkPolicies, since those that exist come as images:
 * iptables rules made from the cluster's policies, and made anew whenever these or their pods change. It is stricter
 * than they are in one thing: a program on the node's network reaches a pod only by a policy, like a pod. One node
 * thereby shows whether the policies name the hubs.
 *
 *     node --require ./.ci/compile-on-load.cjs k8s-tests/cluster/node/policies/index.ts KUBELET-ADDRESS
 */
import { spawnSync } from "node:child_process";
import {
  CoreV1Api,
  type Informer,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
  NetworkingV1Api,
} from "@kubernetes/client-node";
import { policyChains, restoreInput, TOP } from "./rules";

/** Changes come in bursts, such as a pod's. */
const PAUSE_MS = 50;
const [kubelet = ""] = process.argv.slice(2);

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const core = kubeConfig.makeApiClient(CoreV1Api);
const networking = kubeConfig.makeApiClient(NetworkingV1Api);

function iptables(program: string, args: readonly string[], input = ""): boolean {
  const { status, stderr } = spawnSync(program, args, { input, encoding: "utf8" });
  if (status !== 0 && !args.includes("--check")) throw new Error(`${program}: ${stderr}\n${input}`);
  return status === 0;
}

/** Watched, not listed again and again: that took a tenth of the two cores that the tests have. */
function watched<T extends KubernetesObject>(path: string, list: () => Promise<KubernetesListObject<T>>) {
  const informer = makeInformer(kubeConfig, path, list);
  // The rules stay as they are while the API server does not answer.
  informer.on("error", (error) => {
    console.error(String(error));
    setTimeout(() => void informer.start(), 1_000);
  });
  return informer;
}

const policies = watched("/apis/networking.k8s.io/v1/networkpolicies", () =>
  networking.listNetworkPolicyForAllNamespaces(),
);
const pods = watched("/api/v1/pods", () => core.listPodForAllNamespaces());
const namespaces = watched("/api/v1/namespaces", () => core.listNamespace());

let isDue = false;
function changed(): void {
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    write();
  }, PAUSE_MS);
}

let written = "";
let names: string[] = [];

function write(): void {
  const cluster = { policies: policies.list(), pods: pods.list(), namespaces: namespaces.list() };
  const chains = policyChains(cluster, kubelet);
  const wanted = restoreInput(chains, []);
  if (wanted === written) return;
  iptables("iptables-restore", ["--noflush", "--wait", "5"], restoreInput(chains, names));
  for (const hook of ["INPUT", "FORWARD", "OUTPUT"]) {
    const rule = [hook, "--jump", TOP];
    if (!iptables("iptables", ["--wait", "5", "--check", ...rule])) {
      iptables("iptables", ["--wait", "5", "--insert", ...rule]);
    }
  }
  written = wanted;
  names = chains.map(({ name }) => name);
}

async function main(): Promise<void> {
  const all: Informer<KubernetesObject>[] = [policies, pods, namespaces];
  await Promise.all(all.map((informer) => informer.start()));
  for (const informer of all) informer.on("change", changed);
  write();
}

void main();
