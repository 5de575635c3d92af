import type { V1Pod } from "@kubernetes/client-node";
import { core, exec, namespace, startSleeper } from "./release";

/** Every process of each pod whose uid is given, its sandbox too. A systemd node writes uids with underscores; a process may be gone. */
const KILL = `
for uid in "$@"; do
  for group in $(grep -l "$(echo "$uid" | tr - .)" /proc/[0-9]*/cgroup 2>/dev/null); do
    process=\${group#/proc/}
    kill -KILL "\${process%/cgroup}" 2>/dev/null || true
  done
done`;

/** A pod that has its node's network, and sees the processes of all pods there. */
export class NodePod {
  private constructor(private readonly name: string) {}

  static async on(nodeName: string): Promise<NodePod> {
    const name = `node-pod-${nodeName}`;
    const more = { nodeName, tolerations: [{ operator: "Exists" }], hostNetwork: true, hostPID: true };
    await startSleeper(namespace, name, "look", more, { privileged: true, runAsUser: 0 });
    return new NodePod(name);
  }

  run(script: string, ...args: string[]): Promise<string> {
    return exec(`pod/${this.name}`, "look", ["sh", "-c", script, "sh", ...args]);
  }

  /** As a crash does it: no process has time for a last word. */
  async kill(pods: readonly V1Pod[]): Promise<void> {
    await this.run(KILL, ...pods.map(({ metadata }) => metadata?.uid ?? ""));
  }

  async delete(): Promise<void> {
    await core.deleteNamespacedPod({ namespace, name: this.name, gracePeriodSeconds: 0 });
  }
}

/** The tunnel's interfaces, rules and sets on its node's network, a line each. */
export async function leftOnNode(): Promise<string[]> {
  const { items } = await core.listNode({ labelSelector: "fleet-gateway/tunnel=true" });
  const pod = await NodePod.on(items[0]?.metadata?.name ?? "");
  try {
    const all = await pod.run("ip -o link show; iptables-save; ip6tables-save; ipset list -name");
    return all.split("\n").filter((line) => /users0|drones0|FLEET-|fleet-pairs/.test(line));
  } finally {
    await pod.delete();
  }
}
