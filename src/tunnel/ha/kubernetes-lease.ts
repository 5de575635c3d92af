import { STATUS_CODES } from "node:http";
import type { CoordinationV1Api, KubeConfig, V1Lease, V1MicroTime } from "@kubernetes/client-node";
import { ownNamespace } from "../../platform/kubernetes";
import { LeaseConflict, type LeaseRecord, type LeaseStore, type LeaseUpdate } from "./lease";

interface KubernetesLeaseOptions {
  /** The pod's own when absent. */
  readonly namespace?: string;
  readonly name: string;
  /** The cluster's own service account, or KUBECONFIG, when absent. */
  readonly kubeConfig?: KubeConfig;
}

interface Client {
  readonly api: CoordinationV1Api;
  readonly namespace: string;
  readonly time: (at: Date) => V1MicroTime;
}

/**
 * A Lease of coordination.k8s.io/v1. Needs get and update on it by name, and create when it does not exist.
 */
export class KubernetesLease implements LeaseStore {
  private client: Promise<Client> | undefined;
  private seen: V1Lease | undefined;

  constructor(private readonly options: KubernetesLeaseOptions) {}

  async open(): Promise<void> {
    await this.connect();
  }

  async read(): Promise<LeaseRecord | undefined> {
    const { api, namespace } = await this.connect();
    const { name } = this.options;
    try {
      this.seen = await api.readNamespacedLease({ name, namespace });
      return recordOf(this.seen);
    } catch (error) {
      if (codeOf(error) === 404) return undefined;
      throw inItsWords(error);
    }
  }

  async write(update: LeaseUpdate, before: LeaseRecord | undefined): Promise<LeaseRecord> {
    const { api, namespace, time } = await this.connect();
    const { name } = this.options;
    const now = time(new Date());
    const seen = before && this.seen?.metadata?.resourceVersion === before.version ? this.seen : undefined;
    // For readers with kubectl; no candidate compares these times with its own.
    const acquireTime = update.holder === before?.holder ? seen?.spec?.acquireTime : now;
    const body: V1Lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: {
        ...seen?.metadata,
        name,
        namespace,
        ...(before ? { resourceVersion: before.version } : {}),
      },
      spec: {
        holderIdentity: update.holder,
        leaseDurationSeconds: update.durationSeconds,
        leaseTransitions: update.transitions,
        renewTime: now,
        ...(acquireTime ? { acquireTime } : {}),
      },
    };
    try {
      this.seen = before
        ? await api.replaceNamespacedLease({ name, namespace, body })
        : await api.createNamespacedLease({ namespace, body });
    } catch (error) {
      const code = codeOf(error);
      if (code === 409 || (before && code === 404)) throw new LeaseConflict({ cause: error });
      throw inItsWords(error);
    }
    return recordOf(this.seen);
  }

  /** The client is loaded on first use: it is large, and a single hub does not need it. */
  private connect(): Promise<Client> {
    this.client ??= import("@kubernetes/client-node").then(
      ({ CoordinationV1Api, KubeConfig, V1MicroTime }) => {
        const config = this.options.kubeConfig ?? new KubeConfig();
        if (!this.options.kubeConfig) config.loadFromDefault();
        const { namespace = ownNamespace(config) } = this.options;
        const api = config.makeApiClient(CoordinationV1Api);
        return { api, namespace, time: (at) => new V1MicroTime(at) };
      },
    );
    return this.client;
  }
}

function recordOf({ metadata, spec }: V1Lease): LeaseRecord {
  return {
    holder: spec?.holderIdentity ?? "",
    durationSeconds: spec?.leaseDurationSeconds ?? 0,
    transitions: spec?.leaseTransitions ?? 0,
    version: metadata?.resourceVersion ?? "",
  };
}

const codeOf = (error: unknown): number | undefined => (error as { code?: number }).code;

/** The client's own error prints the whole exchange; the server's message says who may not do what. */
function inItsWords(error: unknown): unknown {
  const code = codeOf(error);
  if (typeof code !== "number") return error;
  const { body } = error as { body?: unknown };
  const why = messageOf(body) ?? STATUS_CODES[code] ?? "without a reason";
  return new Error(`The API server refuses the hub's lease (${code}): ${why}`);
}

function messageOf(body: unknown): unknown {
  try {
    return ((typeof body === "string" ? JSON.parse(body) : body) as { message?: unknown }).message;
  } catch {
    return undefined;
  }
}
