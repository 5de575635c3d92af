import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { KubeConfig, type V1Lease } from "@kubernetes/client-node";
import { atEndOfFile } from "../clean-up";

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const PATH = /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/[^/]+\/leases(?:\/([^/?]+))?$/;
const refusal = (code: number, reason: string, message = reason): Reply => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", message, reason, code },
});

/** The default name of the hubs' Lease. */
export const HUB_LEASE = "fleet-tunnel-hub";

/**
 * A fake of the Kubernetes API that keeps Leases: it creates, reads and replaces them, and refuses a write against
 * another version than the last, as the real one does. It can be cut off and made slow.
 */
export class FakeLeases {
  readonly leases = new Map<string, V1Lease>();
  /** Milliseconds before each answer. */
  delayMs = 0;
  private version = 0;
  private refusing: Reply | undefined;
  private away = false;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk) => {
        text += chunk;
      });
      request.on("end", () => {
        setTimeout(() => {
          if (this.away) return request.socket.destroy();
          const { status, body } = this.answer(request.method ?? "", request.url ?? "", text);
          return response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
        }, this.delayMs);
      });
    });
  }

  /** With one released Lease: a hub takes it at once, and waits before it takes one that nobody has released. */
  static async listening(): Promise<FakeLeases> {
    const fake = new FakeLeases();
    const spec = { holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 0 };
    fake.keep(HUB_LEASE, { metadata: { name: HUB_LEASE }, spec }, 201);
    await new Promise<void>((resolve) => fake.server.listen(0, "127.0.0.1", resolve));
    atEndOfFile(async () => {
      fake.server.closeAllConnections();
      await new Promise((resolve) => fake.server.close(resolve));
    });
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** A kubeconfig of this server at `url`. */
  config(url = this.url): KubeConfig {
    const config = new KubeConfig();
    config.loadFromClusterAndUser({ name: "fake", server: url, skipTLSVerify: true }, { name: "hub" });
    return config;
  }

  /** The holder's node, without the random part of its identity. */
  holder(name: string): string | undefined {
    return this.leases.get(name)?.spec?.holderIdentity?.split("_")[0] || undefined;
  }

  /** Answers no request until `mend`. */
  cut(): void {
    this.away = true;
    this.server.closeAllConnections();
  }

  mend(): void {
    this.away = false;
  }

  /** Answers every request with this status; undefined ends it. */
  refusesWith(status: number | undefined, message = ""): void {
    this.refusing = status === undefined ? undefined : refusal(status, "Forbidden", message);
  }

  private answer(method: string, path: string, text: string): Reply {
    if (this.refusing) return this.refusing;
    const match = PATH.exec(path);
    if (!match) return refusal(404, "NotFound");
    const body = text ? (JSON.parse(text) as V1Lease) : undefined;
    const name = match[1] ?? body?.metadata?.name ?? "";
    const lease = this.leases.get(name);
    if (method === "POST" && body) return lease ? refusal(409, "AlreadyExists") : this.keep(name, body, 201);
    if (!lease) return refusal(404, "NotFound");
    if (method === "GET") return { status: 200, body: lease };
    if (method !== "PUT" || !body) return refusal(405, "MethodNotAllowed");
    const { resourceVersion } = body.metadata ?? {};
    if (resourceVersion && resourceVersion !== lease.metadata?.resourceVersion)
      return refusal(409, "Conflict");
    return this.keep(name, body, 200);
  }

  private keep(name: string, lease: V1Lease, status: number): Reply {
    const kept = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++this.version) } };
    this.leases.set(name, kept);
    return { status, body: kept };
  }
}
