import type { FlightState } from "../flight-state";

/** Seconds, where the autopilot has no parameter for it. */
const DEFAULT_DELAY = 10;

/**
 * When an armed copter on the ground stops its motors by itself: at the end of a landing, and when it did not
 * take off. The first follows the vehicle's own time. The second waits for a ground station, so it
 * keeps to the wall clock: at twenty times real time a ground station could not send the next command in time.
 */
export class AutoDisarm {
  private hasFlown = false;
  private landedAt = 0;
  private idleSince = 0;

  armed(flight: FlightState): void {
    this.hasFlown = false;
    this.idleSince = flight.now;
  }

  /** `raised`: the pilot has raised the throttle to take off. */
  step(flight: FlightState, raised: boolean): "landing" | "idleness" | undefined {
    if (flight.kind === "rover") return undefined;
    if (!flight.landed) {
      this.hasFlown = true;
      this.landedAt = flight.time;
    }
    if (!flight.landed || raised) {
      this.idleSince = flight.now;
      return undefined;
    }
    return this.hasFlown ? this.afterLanding(flight) : this.beforeFlight(flight);
  }

  private afterLanding(flight: FlightState): "landing" | undefined {
    const delay = flight.params.get("DISARM_DELAY", flight.params.get("COM_DISARM_LAND", DEFAULT_DELAY));
    const waited = delay > 0 && flight.time - this.landedAt >= delay;
    return waited || endsInLanding(flight) ? "landing" : undefined;
  }

  private beforeFlight(flight: FlightState): "idleness" | undefined {
    const delay = flight.params.get("DISARM_DELAY", flight.params.get("COM_DISARM_PRFLT", DEFAULT_DELAY));
    return delay > 0 && flight.now - this.idleSince >= delay * 1000 ? "idleness" : undefined;
  }
}

/** ArduPilot's landing modes, and its mission when nothing follows, disarm at the touch. */
function endsInLanding({ autopilot, mode, run }: FlightState): boolean {
  if (autopilot === "px4") return false;
  if (mode.behaviour === "land" || mode.behaviour === "return") return true;
  return mode.behaviour === "auto" && run.state === "complete";
}
