import { z } from "zod";
import { DomainError } from "../../domain/errors";
import { implementCalls, vehicleCalls } from "../calls";
import type { VehicleCalls } from "../link";
import type { RemoteCall } from "./messages";

const Identity = z.object({
  autopilot: z.enum(["ardupilot", "px4"]),
  kind: z.enum(["copter", "rover"]),
  systemId: z.int(),
  componentId: z.int(),
});

/**
 * The calls on a vehicle whose link another replica holds; `send` brings each there. `identity` is the holder's reply to
 * `open`.
 */
export const remoteCalls = (
  identity: unknown,
  send: (call: RemoteCall) => Promise<unknown>,
): VehicleCalls => ({
  vehicle: Identity.parse(identity),
  ...implementCalls(vehicleCalls, (method, { result }) => async (...args) => {
    const reply = result.safeParse(await send({ method, args }));
    if (reply.success) return reply.data;
    throw new DomainError("outcome_unknown", `The reply to ${method} cannot be read. Look at the drone.`, {
      cause: reply.error,
    });
  }),
});

/** Makes the call on the link that this process holds. Rejects as the link does, or for arguments that do not fit. */
export async function makeCall(link: VehicleCalls, { method, args }: RemoteCall): Promise<unknown> {
  const parsed = vehicleCalls[method].args.safeParse(args);
  if (!parsed.success) throw new DomainError("invalid_input", `The arguments of ${method} do not fit.`);
  const call = link[method] as (...args: readonly unknown[]) => Promise<unknown>;
  return call(...parsed.data);
}
