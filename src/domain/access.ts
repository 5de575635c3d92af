/** Uses of a drone: watch it, order it, hold its sticks, reach it through the VPN. */
export type Capability = "view" | "command" | "stick" | "vpn";

/**
 * The one place where "who may do what" is decided, for the API, telemetry rooms, the relay, video and the
 * firewall. The owner has every capability, other users have no capability; a deleted drone has no owner.
 */
export function may(
  userId: number,
  _capability: Capability,
  drone: { readonly user_id: number; readonly deleted_at?: Date | null },
): boolean {
  return drone.user_id === userId && !drone.deleted_at;
}

/** `may` as a condition on a row of `drones`, for a statement that acts on the drone at once. `?` is the user's id. */
export const mayInSql = (_capability: Capability): string => "user_id = ? AND deleted_at IS NULL";
