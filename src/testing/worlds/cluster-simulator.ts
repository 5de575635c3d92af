import { AppsV1Api, CoreV1Api, type KubeConfig } from "@kubernetes/client-node";
import { atEndOfFile } from "../clean-up";
import type { Reply } from "../fakes/recorded-kubernetes";
import { until } from "../until";
import { createServiceAccount } from "./cluster-account";

const namespace = "fleet-peers";
const name = "simulator";
const pod = `${name}-0`;
const labels = { app: name };
const containers = [{ name, image: "registry.k8s.io/pause:3.10" }];
const account = "gateway";

/** The rights that the Kubernetes provider says it needs, and no more. */
const rules = [
  { apiGroups: ["apps"], resources: ["statefulsets"], resourceNames: [name], verbs: ["get"] },
  { apiGroups: ["apps"], resources: ["statefulsets/scale"], resourceNames: [name], verbs: ["patch"] },
  { apiGroups: [""], resources: ["pods"], resourceNames: [pod], verbs: ["get"] },
];

/**
 * A StatefulSet `simulator` of no replicas in a real cluster's namespace `fleet-peers`, and the token of an
 * account that may scale it. On an API server without controllers this class does the controller's work.
 */
export class ClusterSimulator {
  private constructor(
    private readonly core: CoreV1Api,
    private readonly apps: AppsV1Api,
    readonly token: string,
  ) {}

  static async create(config: KubeConfig): Promise<ClusterSimulator> {
    const core = config.makeApiClient(CoreV1Api);
    const apps = config.makeApiClient(AppsV1Api);
    await core.createNamespace({ body: { metadata: { name: namespace } } });
    atEndOfFile(async () => void (await core.deleteNamespace({ name: namespace })));
    const theirs = await createServiceAccount(config, namespace, account, rules);
    const template = { metadata: { labels }, spec: { containers } };
    const spec = { replicas: 0, serviceName: name, selector: { matchLabels: labels }, template };
    await apps.createNamespacedStatefulSet({ namespace, body: { metadata: { name }, spec } });
    const made = new ClusterSimulator(core, apps, theirs.getCurrentUser()?.token ?? "");
    await made.isPermitted(theirs);
    return made;
  }

  /** Resolves when the pod runs. */
  async start(): Promise<void> {
    if (!(await this.isControlled())) {
      await this.core.createNamespacedPod({
        namespace,
        body: { metadata: { name: pod, labels }, spec: { containers } },
      });
      const status = { phase: "Running", podIP: "10.1.0.9", startTime: "2027-01-01T00:00:00Z" };
      await this.core.patchNamespacedPodStatus({ name: pod, namespace, body: replacing(status) });
      await this.report({ replicas: 1, readyReplicas: 1 });
    }
    await until(async () => ((await this.read()).status?.readyReplicas ?? 0) > 0, 120_000);
  }

  /** Resolves when the pod is deleted. */
  async stop(): Promise<void> {
    if (!(await this.isControlled())) {
      await this.core.deleteNamespacedPod({ name: pod, namespace, gracePeriodSeconds: 0 });
      await this.report({ replicas: 0 });
    }
    await until(async () => (await this.read()).status?.replicas === 0, 120_000);
  }

  async remove(): Promise<void> {
    await this.apps.deleteNamespacedStatefulSet({ name, namespace });
    await until(async () => {
      const { items } = await this.apps.listNamespacedStatefulSet({ namespace });
      return items.length === 0;
    });
  }

  /** The server's reply to a change of an outdated version. */
  async conflict(): Promise<Reply> {
    const scale = await this.apps.readNamespacedStatefulSetScale({ name, namespace });
    const body = { ...scale, metadata: { ...scale.metadata, resourceVersion: "1" } };
    return this.apps.replaceNamespacedStatefulSetScale({ name, namespace, body }).then(
      () => {
        throw new Error("A stale change was taken.");
      },
      (error: { code: number; body: string }) => ({ status: error.code, body: JSON.parse(error.body) }),
    );
  }

  private read = () => this.apps.readNamespacedStatefulSet({ name, namespace });

  /** Whether a controller writes `observedGeneration`. */
  private async isControlled(): Promise<boolean> {
    const isSeen = async () => {
      const { metadata, status } = await this.read();
      return status?.observedGeneration === metadata?.generation;
    };
    return until(isSeen, 3_000).then(
      () => true,
      () => false,
    );
  }

  private async report(status: { replicas: number; readyReplicas?: number }): Promise<void> {
    await this.apps.patchNamespacedStatefulSetStatus({ name, namespace, body: replacing(status) });
  }

  /** A new role takes a moment to be known. */
  private async isPermitted(theirs: KubeConfig): Promise<void> {
    const apps = theirs.makeApiClient(AppsV1Api);
    await until(() =>
      apps.readNamespacedStatefulSet({ name, namespace }).then(
        () => true,
        () => false,
      ),
    );
  }
}

const replacing = (value: unknown) => [{ op: "add", path: "/status", value }];
