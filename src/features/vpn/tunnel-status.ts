import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { z } from "zod";
import type { Ipv4 } from "../../domain/ipv4";
import type { PlaneName } from "../../domain/tunnel-planes";
import type { GatewayConfig } from "../../platform/config";

export type TunnelStatusSettings = Pick<GatewayConfig, "VPN_SERVICE_URL" | "TUNNEL_API_SECRET">;

interface PeerState {
  /** The hub accepts its packets. */
  readonly configured: boolean;
  /** The last handshake is less than three minutes old. */
  readonly up: boolean;
}

const LIMIT_MS = 3_000;
/** A plane has at most 65,536 addresses, of less than 256 bytes each in a reply. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/** Tunnel services of earlier releases lack `configured` and report live peers only. */
const Peer = z.object({ status: z.boolean(), configured: z.boolean().default(true) });
const Drones = z.record(z.string(), z.object({ is_active: z.boolean() }));

/**
 * Client of the tunnel's status API. Every request rejects, after three seconds at most, without a valid reply.
 */
export class TunnelStatus {
  constructor(private readonly settings: TunnelStatusSettings) {}

  /** Undefined when no peer has the address. */
  async peer(plane: PlaneName, ip: Ipv4, signal?: AbortSignal): Promise<PeerState | undefined> {
    const kind = plane === "users" ? "user" : "drone";
    const { status, text } = await this.ask(`/status/${kind}/${ip}`, { signal });
    if (status === 404) return undefined;
    const peer = read(Peer, status, text);
    return { configured: peer.configured, up: peer.status };
  }

  /** Whether each of these drones' tunnels is up, by drone id; drones without a live peer are missing. */
  async drones(ips: readonly Ipv4[]): Promise<ReadonlyMap<number, boolean>> {
    const { status, text } = await this.ask("/drones_status", { body: JSON.stringify({ ips }) });
    return new Map(
      Object.entries(read(Drones, status, text)).map(([id, { is_active }]) => [Number(id), is_active]),
    );
  }

  /** By `http.request`: fetch refuses a GET with a body. */
  private async ask(
    path: string,
    { body, signal }: { body?: string; signal?: AbortSignal },
  ): Promise<{ status: number; text: string }> {
    const { VPN_SERVICE_URL: origin, TUNNEL_API_SECRET: secret } = this.settings;
    if (!origin) throw new Error("VPN_SERVICE_URL is not set.");
    const url = `${origin.replace(/\/+$/, "")}${path}`;
    const limit = AbortSignal.timeout(LIMIT_MS);
    const headers = {
      ...(secret ? { authorization: `Bearer ${secret}` } : {}),
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
    };
    const send = url.startsWith("https:") ? httpsRequest : httpRequest;
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = {
        method: "GET",
        headers,
        // The service may close a kept connection while we send.
        agent: false,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      } as const;
      send(url, options, resolve).on("error", reject).end(body);
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of reply as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_REPLY_BYTES) throw new Error("The reply of the tunnel service is too long.");
      chunks.push(chunk);
    }
    return { status: reply.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") };
  }
}

function read<Shape>(schema: z.ZodType<Shape>, status: number, text: string): Shape {
  if (status !== 200) throw new Error(`The tunnel service answered ${status}.`);
  return schema.parse(JSON.parse(text));
}
