import type { Context } from "koa";
import { DomainError } from "../../domain/errors";
import { Ipv4, unmapped } from "../../domain/ipv4";
import { DRONE_PLANE_PREFIX } from "../../domain/planes";
import type { Guard } from "../../http/route-guards";
import type { GatewayConfig } from "../../platform/config";
import { constantTimeEqual } from "../../platform/constant-time-equal";
import type { Drone } from "./drones.store";

/**
 * Tells a drone by its address in the drone plane; simulated drones have one too.
 *
 * contract: whoever claims such an address, in a header or by calling from it, is believed.
 * strict:   only the tunnel's edge is, which proves itself with `X-Edge-Secret` and states the peer's real
 *           address in `X-Drone-IP`.
 *
 * No such address: `unauthenticated`. An address that no live drone has: `not_found`.
 */
export function droneGuard(
  config: Pick<GatewayConfig, "ACCESS_PROFILE" | "EDGE_SECRET">,
  findByIp: (ip: Ipv4) => Promise<Drone | undefined>,
): Guard<"drone"> {
  const claimed = config.ACCESS_PROFILE === "strict" ? statedByEdge(config.EDGE_SECRET) : statedByAnyone;
  return async (ctx) => {
    const ip = claimed(ctx).map(droneAddress).find(Boolean);
    if (!ip) throw new DomainError("unauthenticated", "Only a drone may ask this, through its tunnel.");
    const drone = await findByIp(ip);
    if (!drone) throw new DomainError("not_found", `No drone has the address ${ip}.`);
    return { id: drone.id, user_id: drone.user_id, ip };
  };
}

const statedByAnyone = (ctx: Context): string[] => [
  ctx.get("x-drone-ip"),
  ctx.get("x-real-ip"),
  // The header lists the original caller first and then the proxies it came through.
  ctx.get("x-forwarded-for").split(",")[0] ?? "",
  ctx.req.socket.remoteAddress ?? "",
];

const statedByEdge =
  (secret: string | undefined) =>
  (ctx: Context): string[] => {
    const proven = secret !== undefined && constantTimeEqual(ctx.get("x-edge-secret"), secret);
    return proven ? [ctx.get("x-drone-ip")] : [];
  };

/** The address, when it is one of the drone plane. */
function droneAddress(text: string): Ipv4 | undefined {
  const address = Ipv4.safeParse(unmapped(text.trim()));
  return address.success && address.data.startsWith(DRONE_PLANE_PREFIX) ? address.data : undefined;
}
