import { isRover } from "./autopilot";
import type { TestedVehicle } from "./tested-vehicle";
import type { ObservedState } from "./witness";

/** Metres above home below which a descent may end in the middle of an order. */
const ALMOST_LANDED = 10;
/** Metres per second. */
const DESCENT = 0.2;
/** PX4's AUTO.TAKEOFF, which it leaves by itself. */
const TAKEOFF = 0x02040000;
const LIMIT_SECONDS = 60;

/**
 * The vehicle's state once no change of its own is at hand that would be taken for the work of the next order: the end
 * of a landing, which disarms, or of PX4's takeoff, which ends in another mode. A rover has neither. Rejects with nothing: a vehicle that does
 * not settle is taken as it is.
 */
export async function waitUntilSettled({ name, witness }: TestedVehicle): Promise<ObservedState> {
  if (isRover(name)) return witness.fresh();
  const isAtEase = ({ armed, customMode, relativeAltitude, climb }: ObservedState) => {
    if (!armed) return true;
    const isComingDown = relativeAltitude < ALMOST_LANDED && climb < -DESCENT;
    return !isComingDown && customMode !== TAKEOFF;
  };
  const start = await witness.fresh();
  let since = start.clock;
  for (;;) {
    const seen = await witness.fresh();
    if (!isAtEase(seen)) since = seen.clock;
    // A landed vehicle is disarmed a few seconds after its last metre.
    if (seen.clock - since >= (isAtEase(start) ? 0 : 5) || seen.clock - start.clock > LIMIT_SECONDS)
      return seen;
  }
}
