import type { Flight } from "../flight";
import { Severity } from "../reports";
import { remaining } from "./battery";
import { breaksFence } from "./fence";

/** Milliseconds between repeats of the failing checks, as ArduPilot repeats them. */
const REPEAT = 30_000;

/** The checks before motors start, and the words in which each autopilot refuses. */
export class Arming {
  private lastShown = Number.NEGATIVE_INFINITY;

  constructor(private readonly flight: Flight) {}

  /** Reasons against arming in any mode; empty when the vehicle is ready. */
  obstacles(): string[] {
    const { flight } = this;
    const found: string[] = [];
    if (!flight.hasPosition) found.push("GPS 1: Bad fix", "Need Position Estimate");
    else if (flight.time < flight.options.bootSeconds) found.push("EKF3 waiting for GPS config data");
    if (remaining(flight.battery) < 0.05) found.push("Battery 1 below minimum arming capacity");
    const fenced = flight.params.get("FENCE_ENABLE") === 1;
    if (fenced && flight.hasPosition && breaksFence(flight.fence, flight.position))
      found.push("Vehicle breaching Polygon fence");
    return found;
  }

  /** Starts the motors when nothing stands against it; says why not. */
  tryArm(): boolean {
    const { flight } = this;
    if (flight.armed) return true;
    if (!flight.mode.armable) {
      this.refuse([`${flight.mode.name} mode not armable`], "Arm");
      return false;
    }
    const obstacles = this.obstacles();
    if (obstacles.length > 0) {
      this.refuse(obstacles, "Arm");
      return false;
    }
    flight.arm();
    return true;
  }

  /** ArduPilot says again and again, while disarmed, what it still waits for. */
  remind(now: number): void {
    if (this.flight.armed || this.flight.autopilot === "px4" || now - this.lastShown < REPEAT) return;
    const obstacles = this.obstacles();
    if (obstacles.length === 0) return;
    this.lastShown = now;
    this.refuse(obstacles, "PreArm");
  }

  private refuse(obstacles: readonly string[], when: "Arm" | "PreArm"): void {
    const { reports, autopilot } = this.flight;
    if (autopilot === "px4") {
      reports.text(Severity.CRITICAL, "Arming denied: Resolve system health failures first");
      return;
    }
    for (const obstacle of obstacles) reports.text(Severity.CRITICAL, `${when}: ${obstacle}`);
  }
}
