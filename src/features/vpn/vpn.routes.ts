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
const Config = z
  .object({ config: z.string().describe("The file's text, with the private key.") })
  .meta({ id: "ClientConfig" });
const Status = z
  .object({ status: z.boolean().describe("Whether the tunnel is up. Also false when that is unknown.") })
  .meta({ id: "TunnelStatus" });
const DronesStatus = z.record(z.string(), z.object({ is_active: z.boolean() }));

const NOT_PUBLISHED = "The tunnel service has not published the config yet, which takes about a second.";

export function vpnRoutes(service: VpnService): readonly Route[] {
  return [
    route({
      ...read,
      path: "/user/vpn",
      summary: "Your WireGuard client config",
      success: { status: 200, schema: ConfigLink },
      documents: { 400: "You have no VPN address." },
      handle: async ({ caller }) => ({ url: await service.userLink(caller.id) }),
    }),
    route({
      ...read,
      path: "/drone/:drone_id/vpn",
      summary: "A drone's WireGuard client config",
      params,
      success: { status: 200, schema: ConfigLink },
      handle: async ({ caller, params }) => ({
        url: await service.droneLink(caller.id, params.drone_id),
      }),
    }),
    route({
      ...read,
      path: "/user/vpn/config",
      summary: "The text of your WireGuard client config",
      description: "For a browser, which the object store lets read nothing. A program may use the link.",
      success: { status: 200, schema: Config },
      documents: { 400: "You have no VPN address.", 404: NOT_PUBLISHED },
      handle: async ({ caller }) => ({ config: await service.userConfig(caller.id) }),
    }),
    route({
      ...read,
      path: "/drone/:drone_id/vpn/config",
      summary: "The text of a drone's WireGuard client config",
      description: "For a browser, which the object store lets read nothing. A program may use the link.",
      params,
      success: { status: 200, schema: Config },
      documents: { 404: `No such drone of yours, or it is simulated. ${NOT_PUBLISHED}` },
      handle: async ({ caller, params }) => ({
        config: await service.droneConfig(caller.id, params.drone_id),
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
