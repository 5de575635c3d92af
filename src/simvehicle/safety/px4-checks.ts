import type { Flight } from "../flight";
import { Severity } from "../reports";
import { remaining } from "./battery";

/** PX4's numbers of its events (the lower 24 bits of the id), by their names there. */
const Px4Event = {
  commander_arming_check_summary: 11_047_904,
  commander_health_summary: 1_914_663,
  check_armable_configuration: 7_959_667,
  check_battery_critical: 2_627_595,
  check_modes_cannot_takeoff: 1_871_713,
  check_modes_manual_control: 453_929,
  check_system_no_global_pos: 12_276_004,
  check_estimator_missing_data: 6_054_338,
} as const;

interface Check {
  readonly event: number;
  readonly text: string;
  /** A bit for each mode that it prevents the arming in. */
  readonly modes: number;
}

/** Milliseconds between two reports that PX4 sends by itself. */
const REPORT_INTERVAL = 2000;
const ALL_MODES = 0xffffffff;
/** AUTO.RTL, AUTO.LAND and others in which nothing takes off. */
const LANDING_MODES = 0x003c3020;
/** The bit and the index of the components "system" and "remote control". */
const SYSTEM = 0x100000;
const SYSTEM_INDEX = 20;
const REMOTE_CONTROL = 0x80;
const REMOTE_CONTROL_INDEX = 7;

/**
 * PX4's health and arming checks. It reports them, as events and as status texts, when they change and when it is asked
 * to; when it refuses to arm it says only that some fail.
 */
export class Px4Checks {
  private reported = "";
  private reportedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly flight: Flight) {}

  /** Those that fail. */
  failing(): Check[] {
    const { flight } = this;
    const found: Check[] = [];
    const fails = (event: keyof typeof Px4Event, text: string, modes = ALL_MODES) =>
      void found.push({ event: Px4Event[event], text, modes });
    if (flight.params.get("COM_ARMABLE") < 1)
      fails("check_armable_configuration", "Vehicle is in safety configuration");
    if (!flight.hasPosition) fails("check_system_no_global_pos", "Global position estimate required");
    else if (flight.time < flight.options.bootSeconds)
      fails("check_estimator_missing_data", "Waiting for estimator to initialize");
    if (remaining(flight.battery) < 0.05) fails("check_battery_critical", "Critical battery");
    // In flight PX4 reports nothing when it enters such a mode.
    if (!flight.armed && !flight.mode.armable)
      fails("check_modes_cannot_takeoff", "Mode not suitable for arming", LANDING_MODES);
    return found;
  }

  /** Reports what has changed. */
  update(now: number): void {
    if (now - this.reportedAt < REPORT_INTERVAL || this.reported === namesOf(this.failing())) return;
    this.reportedAt = now;
    this.report();
  }

  report(): void {
    const { reports } = this.flight;
    const failing = this.failing();
    this.reported = namesOf(failing);
    const canArm = failing.reduce((modes, check) => modes & ~check.modes, ALL_MODES) >>> 0;
    const errors = failing.length > 0 ? SYSTEM : 0;
    const { commander_arming_check_summary, commander_health_summary, check_modes_manual_control } = Px4Event;
    reports.event(commander_arming_check_summary, PROTOCOL, armingSummary(errors, canArm));
    for (const { event, modes } of failing)
      reports.event(event, Severity.ERROR, checkArguments(modes, SYSTEM_INDEX));
    // It has no radio, and does not need one.
    const manual = checkArguments(ALL_MODES, REMOTE_CONTROL_INDEX);
    reports.event(check_modes_manual_control, Severity.WARNING, manual);
    reports.event(commander_health_summary, PROTOCOL, Buffer.alloc(13));
    for (const { text } of failing) reports.text(Severity.CRITICAL, `Preflight Fail: ${text}`);
  }
}

/** The level of events that no log shows. */
const PROTOCOL = 8;

const namesOf = (checks: readonly Check[]): string => checks.map(({ event }) => event).join();

/** chunk (u8), errors, warnings, the modes in which it can be armed and those in which it can be flown (u32 each). */
function armingSummary(errors: number, canArm: number): Buffer {
  const bytes = Buffer.alloc(17);
  for (const [at, value] of [errors, REMOTE_CONTROL, canArm, canArm].entries())
    bytes.writeUInt32LE(value, 1 + 4 * at);
  return bytes;
}

function checkArguments(modes: number, component: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32LE(modes, 0);
  bytes.writeUInt8(component, 4);
  return bytes;
}
