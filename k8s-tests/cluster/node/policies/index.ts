/**
 * A STAND-IN for the part of a cluster's network that enforces NetworkPolicies, since those that exist come as images:
 * iptables rules made from the cluster's policies, and made anew whenever these or their pods change. It is stricter
 * than they are in one thing: a program on the node's network reaches a pod only by a policy, like a pod. One node
 * thereby shows whether the policies name the hubs.
 *
 *     node --require ./.ci/compile-on-load.cjs k8s-tests/cluster/node/policies/index.ts KUBELET-ADDRESS
 */
import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { CoreV1Api, KubeConfig, NetworkingV1Api } from "@kubernetes/client-node";
import { policyChains, restoreInput, TOP } from "./rules";

const PERIOD_MS = 500;
/** Out of the API server's memory: four lists a second from etcd took a tenth of the two cores that the tests have. */
const FROM_CACHE = { resourceVersion: "0" };
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

async function main(): Promise<void> {
  let written = "";
  let names: string[] = [];
  for (;;) {
    try {
      const [policies, pods, namespaces] = await Promise.all([
        networking.listNetworkPolicyForAllNamespaces(FROM_CACHE),
        core.listPodForAllNamespaces(FROM_CACHE),
        core.listNamespace(FROM_CACHE),
      ]);
      const cluster = { policies: policies.items, pods: pods.items, namespaces: namespaces.items };
      const chains = policyChains(cluster, kubelet);
      const wanted = restoreInput(chains, []);
      if (wanted !== written) {
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
    } catch (error) {
      // The rules stay as they are while the API server does not answer.
      console.error(String(error));
    }
    await delay(PERIOD_MS);
  }
}

void main();
