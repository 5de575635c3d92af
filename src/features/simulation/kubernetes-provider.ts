import type { AppsV1Api, CoreV1Api, KubeConfig, V1StatefulSet } from "@kubernetes/client-node";
import { ignoreNotFound, ownNamespace } from "../../platform/kubernetes";
import type { Instance, SimulationProvider } from "./provider";

interface KubernetesOptions {
  /** The pod's own when absent. */
  readonly namespace?: string;
  readonly statefulSet: string;
  /** The cluster's own service account, or KUBECONFIG, when absent. */
  readonly kubeConfig?: KubeConfig;
}

interface Apis {
  readonly apps: AppsV1Api;
  readonly core: CoreV1Api;
  readonly namespace: string;
}

/**
 * A StatefulSet that is scaled between 0 and 1. Needs, in its namespace only: get on that statefulset, patch on
 * its scale, get on its first pod.
 */
export class KubernetesProvider implements SimulationProvider {
  private apis: Promise<Apis> | undefined;

  constructor(private readonly options: KubernetesOptions) {}

  async specs() {
    const { namespace } = await this.connect();
    return { provider: "kubernetes", namespace, stateful_set: this.options.statefulSet };
  }

  async describe(): Promise<Instance> {
    const { statefulSet: name } = this.options;
    const { apps, core, namespace } = await this.connect();
    const set = await apps.readNamespacedStatefulSet({ name, namespace });
    const state = stateOf(set);
    const pod =
      state === "stopped"
        ? undefined
        : await core.readNamespacedPod({ name: `${name}-0`, namespace }).catch(ignoreNotFound);
    return {
      instance_id: `${namespace}/${name}`,
      state,
      public_ip: null,
      private_ip: pod?.status?.podIP ?? null,
      launched_at: pod?.status?.startTime ?? null,
    };
  }

  start = () => this.scale(1);
  stop = () => this.scale(0);

  private async scale(replicas: number): Promise<void> {
    const { statefulSet: name } = this.options;
    const { apps, namespace } = await this.connect();
    // The client's default patch type is JSON patch.
    const body = [{ op: "replace", path: "/spec/replicas", value: replicas }];
    await apps.patchNamespacedStatefulSetScale({ name, namespace, body });
  }

  /** Loaded on first use: the client is large, and most installations have another provider. */
  private connect(): Promise<Apis> {
    this.apis ??= import("@kubernetes/client-node").then(({ AppsV1Api, CoreV1Api, KubeConfig }) => {
      const config = this.options.kubeConfig ?? new KubeConfig();
      if (!this.options.kubeConfig) config.loadFromDefault();
      const { namespace = ownNamespace(config) } = this.options;
      return { apps: config.makeApiClient(AppsV1Api), core: config.makeApiClient(CoreV1Api), namespace };
    });
    return this.apis;
  }
}

function stateOf({ spec, status }: V1StatefulSet): Instance["state"] {
  if ((spec?.replicas ?? 1) > 0) return (status?.readyReplicas ?? 0) > 0 ? "running" : "pending";
  return (status?.replicas ?? 0) > 0 ? "stopping" : "stopped";
}
