import type { Context } from "koa";
import { DomainError } from "../../domain/errors";
import { Ipv4, unmapIpv4 } from "../../domain/ipv4";
import { DRONE_PLANE_PREFIX } from "../../domain/planes";
import type { Guard } from "../../http/route-guards";
import type { GatewayConfig } from "../../platform/config";
import { constantTimeEqual } from "../../platform/constant-time-equal";
import type { Drone } from "./drones.store";

/**
 * Authenticates a drone by its address in the drone plane. Simulated drones have one too.
 *
 * contract: accepts the address from any caller, in a header or as the source address.
 * strict:   accepts it from the tunnel's edge only, which sends `X-Edge-Secret` and the peer's real address in
 *           `X-Drone-IP`.
 *
 * Rejects with `unauthenticated` without such an address, and with `not_found` when no live drone has it.
 */
export function droneGuard(
  config: Pick<GatewayConfig, "ACCESS_PROFILE" | "EDGE_SECRET">,
  findByIp: (ip: Ipv4) => Promise<Drone | undefined>,
): Guard<"drone"> {
  const addressesOf = config.ACCESS_PROFILE === "strict" ? fromEdge(config.EDGE_SECRET) : fromAnyCaller;
  return async (ctx) => {
    const ip = addressesOf(ctx).map(droneAddress).find(Boolean);
    if (!ip)
      throw new DomainError("unauthenticated", "Only a drone may call this route, through its tunnel.");
    const drone = await findByIp(ip);
    if (!drone) throw new DomainError("not_found", `No drone has the address ${ip}.`);
    return { id: drone.id, user_id: drone.user_id, ip };
  };
}

const fromAnyCaller = (ctx: Context): string[] => [
  ctx.get("x-drone-ip"),
  ctx.get("x-real-ip"),
  // The header lists the original caller first and then the proxies it came through.
  ctx.get("x-forwarded-for").split(",")[0] ?? "",
  ctx.req.socket.remoteAddress ?? "",
];

const fromEdge =
  (secret: string | undefined) =>
  (ctx: Context): string[] => {
    const proven = secret !== undefined && constantTimeEqual(ctx.get("x-edge-secret"), secret);
    return proven ? [ctx.get("x-drone-ip")] : [];
  };

/** The address, if it belongs to the drone plane. */
function droneAddress(text: string): Ipv4 | undefined {
  const address = Ipv4.safeParse(unmapIpv4(text.trim()));
  return address.success && address.data.startsWith(DRONE_PLANE_PREFIX) ? address.data : undefined;
}
