import { readFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import type { CoordinationV1Api, KubeConfig, V1Lease, V1MicroTime } from "@kubernetes/client-node";
import { LeaseConflict, type LeaseRecord, type LeaseStore, type LeaseUpdate } from "./lease";

interface KubernetesLeaseOptions {
  /** The pod's own when absent. */
  readonly namespace: string | undefined;
  readonly name: string;
  /** The cluster's own service account, or KUBECONFIG, when absent. */
  readonly kubeConfig?: KubeConfig;
}

interface Client {
  readonly api: CoordinationV1Api;
  readonly time: (at: Date) => V1MicroTime;
}

const POD_NAMESPACE_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/**
 * A Lease of coordination.k8s.io/v1. Needs get and update on it by name, and create when it does not exist.
 */
export class KubernetesLease implements LeaseStore {
  private client: Promise<Client> | undefined;
  private seen: V1Lease | undefined;
  private readonly namespace: string;

  constructor(private readonly options: KubernetesLeaseOptions) {
    this.namespace = options.namespace ?? podNamespace();
  }

  async open(): Promise<void> {
    await this.connect();
  }

  async read(): Promise<LeaseRecord | undefined> {
    const { api } = await this.connect();
    const { name } = this.options;
    try {
      this.seen = await api.readNamespacedLease({ name, namespace: this.namespace });
      return recordOf(this.seen);
    } catch (error) {
      if (codeOf(error) === 404) return undefined;
      throw inItsWords(error);
    }
  }

  async write(update: LeaseUpdate, before: LeaseRecord | undefined): Promise<LeaseRecord> {
    const { api, time } = await this.connect();
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
        namespace: this.namespace,
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
        ? await api.replaceNamespacedLease({ name, namespace: this.namespace, body })
        : await api.createNamespacedLease({ namespace: this.namespace, body });
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
        return { api: config.makeApiClient(CoordinationV1Api), time: (at) => new V1MicroTime(at) };
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

function podNamespace(): string {
  try {
    return readFileSync(POD_NAMESPACE_FILE, "utf8").trim();
  } catch (cause) {
    throw new Error("HUB_LEASE_NAMESPACE is not set, and this is no pod that has one.", { cause });
  }
}
