import type { CoreV1Api, V1Pod } from "@kubernetes/client-node";

/** An event of a hub's pod: started, ready or ended. */
export interface Event {
  readonly what: "started" | "ready" | "ended";
  readonly node: string;
  readonly image: string;
  /** The hub that served when it happened. */
  readonly active: string | undefined;
}

/**
 * Stands in for the kubelets of the hub nodes: pods of DaemonSets are bound, start, are probed and end. One of the
 * tunnel's pods serves at a time and the others stand by; each probe is answered as `/readyz` would, by its own path.
 */
export class Hubs {
  readonly events: Event[] = [];
  active: string | undefined;
  private readonly seen = new Set<string>();

  constructor(
    private readonly core: CoreV1Api,
    private readonly namespace: string,
  ) {}

  /** Do everything that is due. */
  async attend(): Promise<void> {
    const { items } = await this.core.listNamespacedPod({ namespace: this.namespace });
    for (const pod of items) await this.attendTo(pod).catch(ignoreConflict);
  }

  private async attendTo(pod: V1Pod): Promise<void> {
    const { core, namespace } = this;
    const name = pod.metadata?.name ?? "";
    const isTunnel = componentOf(pod) === "tunnel";
    const node = nodeOf(pod);
    const image = pod.spec?.containers[0]?.image ?? "";
    const note = (what: Event["what"]) => {
      if (isTunnel) this.events.push({ what, node, image, active: this.active });
    };
    if (!pod.spec?.nodeName) {
      const body = { metadata: { name }, target: { kind: "Node", name: node } };
      await core.createNamespacedPodBinding({ name, namespace, body });
      return;
    }
    if (pod.metadata?.deletionTimestamp) {
      note("ended");
      if (isTunnel && this.active === node) this.active = undefined;
      await core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 0 });
      return;
    }
    if (!this.seen.has(name)) {
      this.seen.add(name);
      return note("started");
    }
    if (isTunnel) this.active ??= node;
    const path = pod.spec.containers[0]?.readinessProbe?.httpGet?.path ?? "";
    const isReady = this.active === node || path.includes("standby=ready");
    const status = isReady ? "True" : "False";
    if (pod.status?.conditions?.find(({ type }) => type === "Ready")?.status === status) return;
    const value = {
      phase: "Running",
      conditions: [{ type: "Ready", status, lastTransitionTime: new Date().toISOString() }],
    };
    await core.patchNamespacedPodStatus({
      name,
      namespace,
      body: [{ op: "replace", path: "/status", value }],
    });
    if (isReady) note("ready");
  }
}

export const componentOf = (pod: V1Pod): string =>
  pod.metadata?.labels?.["app.kubernetes.io/component"] ?? "";

/** A DaemonSet says where its pod belongs in a term of its affinity. */
const nodeOf = ({ spec }: V1Pod): string =>
  spec?.nodeName ??
  spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]
    ?.matchFields?.[0]?.values?.[0] ??
  "";

/** A conflict with another writer: the next round reads the object again. */
function ignoreConflict(error: { code?: number }): void {
  if (error.code !== 404 && error.code !== 409) throw error;
}
