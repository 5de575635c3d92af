import { type LatLng, offsetBetween, offsetBy } from "../domain/geo";
import type { GlobalPosition } from "./geo";
import { type Body, type Demand, restingBody } from "./kinematics";
import { MissionStore } from "./missions/mission-store";
import type { PlanItem } from "./missions/plan-item";
import {
  ardupilotCopterModes,
  ardupilotRoverModes,
  type Mode,
  type ModeTable,
  px4CopterModes,
  px4RoverModes,
} from "./modes";
import { definitionsFor } from "./params/definitions";
import { ParamStore } from "./params/store";
import { type Tuning, tuningOf } from "./params/tuning";
import { Pilot } from "./pilot";
import type { Reports } from "./reports";
import { type Battery, freshBattery } from "./safety/battery";
import type { FenceShape } from "./safety/fence";

export type VehicleKind = "copter" | "rover";
export type Autopilot = "ardupilot" | "px4";

/** Where a guided vehicle is sent. Metres, local NED of the origin. */
type GuidedTarget =
  | { readonly kind: "hold" | "takeoff"; readonly n: number; readonly e: number; readonly d: number }
  | Extract<Demand, { kind: "position" }>;

/** climb → travel → wait → descend: the legs of a return. */
export type ReturnLeg = "climb" | "travel" | "wait" | "descend";

/** idle → running → complete, and back to idle when a plan is loaded. MISSION_CURRENT.mission_state follows. */
interface MissionRun {
  state: "idle" | "running" | "complete";
  /** The order being carried out, numbered as on the wire. */
  seq: number;
  /** Flight time at which the position of the order was reached. */
  arrivedAt: number | undefined;
  /** Where the body was when the order began. */
  from: { n: number; e: number; d: number };
  /** Metres per second, by DO_CHANGE_SPEED. */
  speed: number | undefined;
  /** How often each jump was taken. */
  jumps: Map<number, number>;
  circled: number;
}

/** PX4's Hold before a failsafe acts. */
interface FailsafeHold {
  /** Milliseconds of the wall clock. */
  readonly until: number;
  /** The mode that was ordered meanwhile, which follows instead of the failsafe's. */
  readonly ordered?: Mode;
}

/** FENCE_AUTOENABLE. */
const AUTO_ENABLE = { atTakeoff: 1, atTakeoffButFloor: 2, whenArmed: 3 } as const;

export interface FlightOptions {
  readonly kind: VehicleKind;
  readonly autopilot: Autopilot;
  readonly home: GlobalPosition;
  readonly systemId: number;
  /** Seconds of the vehicle's own time from power-on until its checks pass. */
  readonly bootSeconds: number;
}

function modesFor({ kind, autopilot }: FlightOptions): ModeTable {
  if (autopilot === "px4") return kind === "copter" ? px4CopterModes : px4RoverModes;
  return kind === "copter" ? ardupilotCopterModes : ardupilotRoverModes;
}

/** Everything that a flying vehicle is at one moment. The behaviours read and change it; `Flight` drives them. */
export class FlightState {
  readonly kind: VehicleKind;
  readonly autopilot: Autopilot;
  readonly modes: ModeTable;
  readonly params: ParamStore;
  readonly body: Body = restingBody();
  /** The local frame's origin, set by the first fix and never moved. */
  readonly origin: GlobalPosition;
  readonly pilot: Pilot;
  readonly mission: MissionStore;
  fenceItems: readonly PlanItem[] = [];
  fence: readonly FenceShape[] = [];
  battery: Battery;
  home: GlobalPosition;
  armed = false;
  landed = true;
  /** ArduPilot lifts off in an automatic mode only after a raised throttle, a takeoff or a mission command. */
  autoArmed = false;
  mode: Mode;
  guided: GuidedTarget = { kind: "hold", n: 0, e: 0, d: 0 };
  failsafeHold: FailsafeHold | undefined;
  returnLeg: ReturnLeg = "climb";
  legSince = 0;
  readonly run: MissionRun;
  /** Metres per second asked by command, until the mode changes. */
  speed: number | undefined;
  /** Seconds of the vehicle's own time since power-on. */
  time = 0;
  /** Milliseconds of the wall clock at the current step, for everything that a ground station must repeat. */
  now = 0;
  /** Seconds of the vehicle's own time at which a motor test ends. */
  motorTestUntil: number | undefined;

  constructor(
    readonly options: FlightOptions,
    readonly reports: Reports,
  ) {
    this.kind = options.kind;
    this.autopilot = options.autopilot;
    this.modes = modesFor(options);
    this.mode = this.modes.initial;
    this.params = new ParamStore(definitionsFor(options));
    this.origin = options.home;
    this.home = options.home;
    this.pilot = new Pilot(options.autopilot === "ardupilot" && options.kind === "copter" ? -1 : 0);
    this.mission = new MissionStore(options.autopilot, () => this.home);
    this.run = {
      state: "idle",
      seq: this.mission.firstSeq,
      arrivedAt: undefined,
      from: { n: 0, e: 0, d: 0 },
      speed: undefined,
      jumps: new Map(),
      circled: 0,
    };
    this.battery = freshBattery(
      this.params.get("BATT_CAPACITY", this.params.get("BAT1_CAPACITY", 3300)),
      this.autopilot === "px4" ? 4 : 3,
    );
  }

  /** A fix comes a while before the estimator is content with it. */
  get hasPosition(): boolean {
    return this.time >= this.options.bootSeconds * 0.6;
  }

  get tuning(): Tuning {
    return tuningOf(this.params);
  }

  /** Whether ArduPilot looks at its fence: FENCE_ENABLE, or FENCE_AUTOENABLE by what the vehicle does. */
  get fenceEnabled(): boolean {
    if (this.params.get("FENCE_ENABLE") === 1) return true;
    switch (this.params.get("FENCE_AUTOENABLE")) {
      case AUTO_ENABLE.atTakeoff:
      case AUTO_ENABLE.atTakeoffButFloor:
        return this.kind === "copter" && this.armed && !this.landed;
      case AUTO_ENABLE.whenArmed:
        return this.armed;
      default:
        return false;
    }
  }

  /** Degrees, metres above mean sea level. */
  get position(): GlobalPosition {
    return this.globalOf(this.body);
  }

  globalOf({ n, e, d }: { n: number; e: number; d: number }): GlobalPosition {
    return { ...offsetBy(this.origin, n, e), altitude: this.origin.altitude - d };
  }

  /** Metres above home. */
  get relativeAltitude(): number {
    return this.origin.altitude - this.body.d - this.home.altitude;
  }

  /** Down-coordinate of a height above home. */
  downOf(aboveHome: number): number {
    return this.origin.altitude - this.home.altitude - aboveHome;
  }

  local(point: LatLng): { n: number; e: number } {
    const { north, east } = offsetBetween(this.origin, point);
    return { n: north, e: east };
  }

  here(): { n: number; e: number; d: number } {
    const { n, e, d } = this.body;
    return { n, e, d };
  }
}
