import { z } from "zod";
import { DomainError } from "../../domain/errors";
import { Ipv4 } from "../../domain/ipv4";
import type { PlaneName } from "../../domain/tunnel-planes";
import { type Route, route } from "../../http/route";
import { version } from "../../platform/process/version";
import type { StatusView } from "./view";

const ByIp = z.object({ ip: Ipv4 });
const Port = z.object({ protocol: z.enum(["tcp", "udp"]), port: z.number() });
const UserAllow = z.object({
  user_id: z.number(),
  drones: z.array(z.object({ drone_id: z.number(), ip: z.string(), ports: z.array(Port) })),
});
const PeerStatus = z.object({
  ip: z.string(),
  /** A handshake within the last 180 s. */
  status: z.boolean(),
  configured: z.literal(true),
  /** Seconds since the epoch; 0 when there was none. */
  latest_handshake: z.number(),
});
const DroneStats = z.object({
  ip: z.string(),
  received_bytes: z.number(),
  sent_bytes: z.number(),
  latest_handshake: z.number(),
  is_active: z.boolean(),
});

/** The read-only status API. `token` is the service's own secret, which the strict profile asks for. */
export function statusRoutes(view: StatusView): Route[] {
  const read = { method: "get", tag: "tunnel", guard: "token", envelope: "B" } as const;
  const peer = (plane: PlaneName) =>
    route({
      ...read,
      path: `/status/${plane === "users" ? "user" : "drone"}/:ip`,
      summary: `Whether an address is a peer of the ${plane.slice(0, -1)} plane, and its tunnel is alive`,
      params: ByIp,
      success: { status: 200, schema: PeerStatus },
      documents: { 404: "The address is no peer." },
      handle: ({ params }) => found(view.peer(plane, params.ip), "This address is no peer."),
    });
  return [
    peer("users"),
    peer("drones"),
    route({
      ...read,
      path: "/firewall",
      summary: "Drones and ports that each user may reach",
      success: { status: 200, schema: z.record(z.string(), UserAllow) },
      handle: () => view.firewall(),
    }),
    route({
      ...read,
      path: "/firewall/user/:ip",
      summary: "Drones and ports that one user may reach",
      params: ByIp,
      success: { status: 200, schema: UserAllow },
      documents: { 404: "No user has this address." },
      handle: ({ params }) => found(view.firewall()[params.ip], "No user has this address."),
    }),
    route({
      ...read,
      path: "/drones_status",
      summary: "Live statistics of drones' tunnels, by drone id",
      body: z.object({ ips: z.array(Ipv4).max(65_536) }),
      success: { status: 200, schema: z.record(z.string(), DroneStats) },
      handle: ({ body }) => view.drones(body.ips),
    }),
    route({
      ...read,
      path: "/version",
      summary: "The version of the running service",
      success: { status: 200, schema: z.object({ version: z.string() }) },
      handle: ({ ctx }) => {
        ctx.set("Cache-Control", "private, max-age=900");
        return { version };
      },
    }),
  ];
}

function found<T>(value: T | undefined, message: string): T {
  if (value === undefined) throw new DomainError("not_found", message);
  return value;
}
