import { distance } from "../../domain/geo";
import type { Flight } from "../flight";
import { isPiloted, type Mode } from "../modes";
import { Severity } from "../reports";
import { remaining } from "./battery";
import { breaksFence } from "./fence";

const FENCE_TYPE = { height: 1, circle: 2, shapes: 4 } as const;
const FS_OPTION = { auto: 2, landing: 8, pilot: 16 } as const;

/** The vehicle's actions on a lost ground station, lost sticks, a low battery and a breached fence. */
export class Failsafes {
  private groundStationSeen: number | undefined;
  private groundStationLost = false;
  private batteryStage: "good" | "low" | "critical" = "good";
  private breached = false;
  private sticksLost = false;

  constructor(private readonly flight: Flight) {}

  get active(): boolean {
    return this.groundStationLost || this.sticksLost || this.batteryStage !== "good";
  }

  /** The vehicle received a heartbeat of its own ground station; those of other systems do not count. */
  onHeartbeat(systemId: number, now: number): void {
    if (systemId === this.flight.tuning.groundStation) this.groundStationSeen = now;
  }

  step(now: number): void {
    this.watchGroundStation(now);
    if (this.flight.autopilot === "px4") this.watchSticks(now);
    this.watchBattery();
    this.watchFence();
  }

  private watchGroundStation(now: number): void {
    const { flight } = this;
    const { params, reports } = flight;
    const px4 = flight.autopilot === "px4";
    const action = params.get(px4 ? "NAV_DLL_ACT" : "FS_GCS_ENABLE");
    const timeout = (px4 ? params.get("COM_DL_LOSS_T") : params.get("FS_GCS_TIMEOUT")) * 1000;
    if (action === 0 || this.groundStationSeen === undefined) {
      this.groundStationLost = false;
      return;
    }
    const lost = now - this.groundStationSeen > timeout;
    if (lost === this.groundStationLost) return;
    this.groundStationLost = lost;
    if (!lost) {
      reports.text(Severity.WARNING, "GCS Failsafe Cleared");
      return;
    }
    if (!flight.armed) return;
    const goesOn = px4 ? undefined : this.goesOnWithoutGroundStation();
    if (goesOn) {
      reports.text(Severity.WARNING, `GCS Failsafe - ${goesOn}`);
      return;
    }
    // FS_GCS_ENABLE 5 lands; NAV_DLL_ACT 1 holds, 3 lands. All others return.
    const lands = px4 ? action === 3 : action === 5;
    this.act("GCS Failsafe", px4 && action === 1 ? "hold" : lands ? "land" : "return");
  }

  /** FS_OPTIONS: by ArduPilot's default the failsafe does not act on a copter in a pilot's mode. */
  private goesOnWithoutGroundStation(): string | undefined {
    const { mode, params, kind } = this.flight;
    const options = params.get("FS_OPTIONS");
    if (kind !== "copter") return undefined;
    if (mode.behaviour === "land" && (options & FS_OPTION.landing) !== 0) return "Continuing Landing";
    if (mode.behaviour === "auto" && (options & FS_OPTION.auto) !== 0) return "Continuing Auto Mode";
    return isPiloted(mode) && (options & FS_OPTION.pilot) !== 0 ? "Continuing Pilot Control" : undefined;
  }

  /** PX4 holds for COM_FAIL_ACT_T seconds, in which its pilot may order a mode, before it does what NAV_RCL_ACT says. */
  private watchSticks(now: number): void {
    const { flight } = this;
    const { failsafeHold: hold, mode, params } = flight;
    const isSilent = flight.armed && flight.pilot.isSilent(now);
    if (!isSilent) this.sticksLost = false;
    if (hold) {
      if (now >= hold.until) this.endHold(hold.ordered);
    } else if (isSilent && isPiloted(mode) && params.get("NAV_RCL_ACT") !== 0) this.beginHold(now);
  }

  private beginHold(now: number): void {
    const { flight } = this;
    const seconds = flight.params.get("COM_FAIL_ACT_T");
    this.sticksLost = true;
    flight.reports.text(
      Severity.CRITICAL,
      `Failsafe activated: entering Hold for ${Math.round(seconds)} seconds\t`,
    );
    this.enterOrLand(flight.modes.stopping);
    flight.failsafeHold = { until: now + seconds * 1000 };
  }

  private endHold(ordered: Mode | undefined): void {
    const { flight } = this;
    if (!ordered) flight.reports.text(Severity.CRITICAL, "Failsafe activated\t");
    this.enterOrLand(ordered ?? this.modeWithoutSticks());
  }

  /** NAV_RCL_ACT: 1 hold, 2 return, 3 land. */
  private modeWithoutSticks(): Mode {
    const { modes, params } = this.flight;
    const action = params.get("NAV_RCL_ACT");
    if (action === 2) return modes.returning;
    return action === 3 ? (modes.landing ?? modes.stopping) : modes.stopping;
  }

  private watchBattery(): void {
    const { flight } = this;
    const { params, battery } = flight;
    const px4 = flight.autopilot === "px4";
    const left = remaining(battery);
    const low = px4 ? left < params.get("BAT_LOW_THR") : battery.volts < params.get("BATT_LOW_VOLT");
    const critical = px4 ? left < params.get("BAT_CRIT_THR") : battery.volts < params.get("BATT_CRT_VOLT");
    const stage = critical ? "critical" : low ? "low" : "good";
    // A recovering voltage does not end a failsafe in flight.
    if (stage === this.batteryStage || (stage === "good" && flight.armed)) return;
    const worse = stage === "critical" || (stage === "low" && this.batteryStage === "good");
    this.batteryStage = stage;
    if (!worse) return;
    flight.reports.text(
      Severity.CRITICAL,
      `Battery 1 is ${stage} ${battery.volts.toFixed(2)}V used ${Math.round(battery.used)} mAh`,
    );
    if (!flight.armed) return;
    const action = px4
      ? params.get("COM_LOW_BAT_ACT")
      : params.get(critical ? "BATT_FS_CRT_ACT" : "BATT_FS_LOW_ACT");
    if (action !== 0) this.act("Battery Failsafe", (px4 ? action >= 2 : action === 1) ? "land" : "return");
  }

  private watchFence(): void {
    const { flight } = this;
    const broken = this.brokenFence();
    if (!broken) {
      if (this.breached) flight.reports.text(Severity.NOTICE, "Fence breach cleared");
      this.breached = false;
      return;
    }
    if (this.breached) return;
    this.breached = true;
    flight.reports.text(Severity.NOTICE, `${broken} fence breached`);
    const action = flight.params.get(flight.autopilot === "px4" ? "GF_ACTION" : "FENCE_ACTION");
    this.actOnFence(action);
  }

  /** ArduPilot: 1 RTL, 2 land, 4 brake. PX4: 2 hold, 3 return, 5 land. */
  private actOnFence(action: number): void {
    const px4 = this.flight.autopilot === "px4";
    const [returns, lands, holds] = px4 ? [3, 5, 2] : [1, 2, 4];
    if (action === returns || (!px4 && action === 3)) this.act("Fence Breach", "return");
    else if (action === lands) this.act("Fence Breach", "land");
    else if (action === holds) this.act("Fence Breach", "hold");
  }

  private brokenFence(): string | undefined {
    const { flight } = this;
    const { params } = flight;
    if (!flight.armed || (flight.kind === "copter" && flight.landed)) return undefined;
    const { position } = flight;
    if (flight.autopilot === "px4") {
      const high = params.get("GF_MAX_VER_DIST");
      const far = params.get("GF_MAX_HOR_DIST");
      if (high > 0 && flight.relativeAltitude > high) return "Max Alt";
      if (far > 0 && distance(flight.home, position) > far) return "Circle";
      return breaksFence(flight, position) ? "Polygon" : undefined;
    }
    if (!flight.fenceEnabled) return undefined;
    const types = params.get("FENCE_TYPE");
    const has = (type: number): boolean => (types & type) !== 0;
    if (
      has(FENCE_TYPE.height) &&
      flight.kind === "copter" &&
      flight.relativeAltitude > params.get("FENCE_ALT_MAX")
    )
      return "Max Alt";
    if (has(FENCE_TYPE.circle) && distance(flight.home, position) > params.get("FENCE_RADIUS"))
      return "Circle";
    if (has(FENCE_TYPE.shapes) && breaksFence(flight, position)) return "Polygon";
    return undefined;
  }

  private act(cause: string, action: "return" | "land" | "hold"): void {
    const { flight } = this;
    const { modes, reports } = flight;
    if (flight.kind === "copter" && flight.landed) {
      reports.text(Severity.WARNING, `${cause} - Disarming`);
      flight.disarm();
      return;
    }
    const mode =
      action === "return"
        ? modes.returning
        : action === "land"
          ? (modes.landing ?? modes.stopping)
          : modes.stopping;
    reports.text(Severity.WARNING, `${cause} - ${mode.name}`);
    this.enterOrLand(mode);
  }

  /** Without a position it can still land. */
  private enterOrLand(mode: Mode): void {
    const { flight } = this;
    const { landing } = flight.modes;
    if (!flight.changeMode(mode) && landing) flight.changeMode(landing);
  }
}
