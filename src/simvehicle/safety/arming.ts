import type { Flight } from "../flight";
import { Severity } from "../reports";
import { remaining } from "./battery";
import { breaksFence } from "./fence";
import { Px4Checks } from "./px4-checks";

/** Milliseconds between repeats of the failing checks, as ArduPilot repeats them. */
const REPEAT = 30_000;

/** The checks before motors start, and the words in which each autopilot refuses. */
export class Arming {
  private readonly px4: Px4Checks | undefined;
  private lastShown = Number.NEGATIVE_INFINITY;

  constructor(private readonly flight: Flight) {
    if (flight.autopilot === "px4") this.px4 = new Px4Checks(flight);
  }

  /** Reasons against arming in any mode; empty when the vehicle is ready. */
  obstacles(): string[] {
    if (this.px4) return this.px4.failing().map(({ text }) => text);
    const { flight } = this;
    const found: string[] = [];
    if (!flight.hasPosition) found.push("GPS 1: Bad fix", "Need Position Estimate");
    else if (flight.time < flight.options.bootSeconds) found.push("EKF3 waiting for GPS config data");
    if (remaining(flight.battery) < 0.05) found.push("Battery 1 below minimum arming capacity");
    if (flight.fenceEnabled && flight.hasPosition && breaksFence(flight, flight.position))
      found.push("Vehicle breaching Polygon fence");
    return found;
  }

  /** Starts the motors when nothing stands against it; says why not. */
  tryArm(): boolean {
    const { flight } = this;
    if (flight.armed) return true;
    const obstacles = this.obstacles();
    if (!flight.mode.armable) this.refuse([`${flight.mode.name} mode not armable`]);
    else if (obstacles.length > 0) this.refuse(obstacles);
    else flight.arm();
    return flight.armed;
  }

  /** What MAV_CMD_RUN_PREARM_CHECKS asks for. */
  reportChecks(): void {
    if (this.px4) this.px4.report();
    else this.say(this.obstacles(), "PreArm");
  }

  /** ArduPilot says again and again, while disarmed, what it still waits for. PX4 says once what has changed. */
  remind(now: number): void {
    if (this.px4) this.px4.update(now);
    if (this.px4 || this.flight.armed || now - this.lastShown < REPEAT) return;
    const obstacles = this.obstacles();
    if (obstacles.length === 0) return;
    this.lastShown = now;
    this.say(obstacles, "PreArm");
  }

  private refuse(obstacles: readonly string[]): void {
    const { reports } = this.flight;
    if (this.px4) reports.text(Severity.CRITICAL, "Arming denied: Resolve system health failures first\t");
    else this.say(obstacles, "Arm");
  }

  private say(obstacles: readonly string[], when: "Arm" | "PreArm"): void {
    for (const obstacle of obstacles) this.flight.reports.text(Severity.CRITICAL, `${when}: ${obstacle}`);
  }
}
