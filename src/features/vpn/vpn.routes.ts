import { z } from "zod";
import { ids, type Route, route } from "../../http/route";
import type { VpnService } from "./vpn.service";

const read = { method: "get", tag: "VPN", guard: "user", envelope: "B" } as const;
const params = ids("drone_id");

const ConfigLink = z
  .object({
    url: z
      .string()
      .describe("Presigned: works for 30 seconds. 404 there: the tunnel service has not published it yet."),
  })
  .meta({ id: "ConfigLink" });
const Status = z
  .object({ status: z.boolean().describe("Whether the tunnel is up. Also false when that is unknown.") })
  .meta({ id: "TunnelStatus" });
const DronesStatus = z.record(z.string(), z.object({ is_active: z.boolean() }));

export function vpnRoutes(service: VpnService): readonly Route[] {
  return [
    route({
      ...read,
      path: "/user/vpn",
      summary: "Your WireGuard client config",
      success: { status: 200, schema: ConfigLink },
      documents: { 400: "You have no VPN address." },
      handle: async ({ caller }) => ({ url: await service.userConfig(caller.id) }),
    }),
    route({
      ...read,
      path: "/drone/:drone_id/vpn",
      summary: "A drone's WireGuard client config",
      params,
      success: { status: 200, schema: ConfigLink },
      handle: async ({ caller, params }) => ({
        url: await service.droneConfig(caller.id, params.drone_id),
      }),
    }),
    route({
      ...read,
      path: "/user/vpn/status",
      summary: "Whether your tunnel is up",
      success: { status: 200, schema: Status },
      documents: { 400: "You have no VPN address." },
      handle: async ({ caller }) => ({ status: await service.userStatus(caller.id) }),
    }),
    route({
      ...read,
      path: "/drone/:drone_id/vpn/status",
      summary: "Whether a drone's tunnel is up",
      description: "A simulated drone needs none and counts as up.",
      params,
      success: { status: 200, schema: Status },
      documents: { 400: "The drone has no VPN address." },
      handle: async ({ caller, params }) => ({
        status: await service.droneStatus(caller.id, params.drone_id),
      }),
    }),
    route({
      ...read,
      path: "/drones_status",
      summary: "Whether each of your drones' tunnels is up, by drone id",
      success: { status: 200, schema: DronesStatus },
      handle: ({ caller }) => service.dronesStatus(caller.id),
    }),
  ];
}
