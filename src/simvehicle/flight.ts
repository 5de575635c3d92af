import { FlightState } from "./flight-state";
import { type Demand, groundSpeed, type Limits, settleOnGround, stepCopter, stepRover } from "./kinematics";
import { isPiloted, type Mode } from "./modes";
import { beginMission, missionDemand, missionStart, rewindMission } from "./modes/auto";
import { guidedDemand, holdHere } from "./modes/guided";
import { landAt } from "./modes/land";
import { circleDemand, climbRateDemand, loiterSpeed, manualDemand } from "./modes/pilot";
import { beginReturn, returnHome } from "./modes/return";
import { Severity } from "./reports";
import { AutoDisarm } from "./safety/auto-disarm";
import { charge, drain } from "./safety/battery";

const IDLE_AMPERES = 0.8;
const HOVER_AMPERES = 18;
const DRIVE_AMPERES = 4;
/** Seconds on the ground after which ArduPilot's and PX4's landing detectors are sure. */
const SURE_OF_GROUND = 1;
/** A throttle stick above it is raised; -1 is the bottom. */
const DEADZONE_TOP = -0.8;

const ARDUPILOT_SAYS = {
  copter: { armed: "Arming motors", disarmed: "Disarming motors" },
  rover: { armed: "Throttle armed", disarmed: "Throttle disarmed" },
} as const;
const PX4_DISARMED = {
  command: "Disarmed by external command\t",
  landing: "Disarmed by landing\t",
  idleness: "Disarmed by auto preflight disarming\t",
} as const;

/** The vehicle in motion: which behaviour drives it, and the transitions between armed, flying, landed. */
export class Flight extends FlightState {
  private onGroundSince = 0;
  private readonly autoDisarm = new AutoDisarm();
  /** Seconds for which the motors have been running up for a takeoff. */
  private spooling = 0;
  private pendingTakeoff: number | undefined;

  /** Enter a mode. False, with a STATUSTEXT, when the vehicle may not. */
  changeMode(mode: Mode): boolean {
    this.failsafeHold = undefined;
    if (mode === this.mode) return true;
    if (mode.position && !this.hasPosition) {
      this.reports.text(Severity.WARNING, `Mode change to ${mode.name} failed: requires position`);
      return false;
    }
    if (mode.behaviour === "auto" && !this.mayStartMission(mode)) return false;
    const stoppedMission = this.mode.behaviour === "auto" && this.run.state === "running";
    if (stoppedMission) this.run.state = "idle";
    this.mode = mode;
    this.speed = undefined;
    this.pendingTakeoff = undefined;
    holdHere(this);
    if (mode.behaviour === "return") beginReturn(this);
    if (mode.behaviour === "takeoff" && this.armed) this.startTakeoff(this.defaultTakeoff());
    if (mode.behaviour === "auto") beginMission(this);
    return true;
  }

  /** A copter in the air: a ground station stops its motors only when it insists. */
  get isAirborne(): boolean {
    return this.kind === "copter" && this.armed && !this.landed;
  }

  private defaultTakeoff(): number {
    return this.body.d - this.params.get("MIS_TAKEOFF_ALT");
  }

  private mayStartMission(mode: Mode): boolean {
    if (this.mission.isEmpty) {
      this.reports.text(
        Severity.WARNING,
        this.autopilot === "px4"
          ? "Switching to Mission is currently not available\t"
          : `Mode change to ${mode.name} failed: init failed`,
      );
      return false;
    }
    const grounded = this.autopilot === "ardupilot" && this.kind === "copter" && this.armed && this.landed;
    if (grounded && !this.mission.takesOffAt(missionStart(this))) {
      this.reports.text(Severity.CRITICAL, "Auto: Missing Takeoff Cmd");
      this.reports.text(Severity.WARNING, `Mode change to ${mode.name} failed: init failed`);
      return false;
    }
    return true;
  }

  /** Motors on. The caller has checked that the vehicle may arm. */
  arm(): void {
    this.armed = true;
    this.autoArmed = this.autopilot === "px4";
    this.autoDisarm.armed(this);
    this.motorTestUntil = undefined;
    const says = this.autopilot === "px4" ? "Armed by external command\t" : ARDUPILOT_SAYS[this.kind].armed;
    this.reports.text(Severity.INFO, says);
    // Home moves to where the vehicle is armed.
    this.home = { ...this.position };
    this.reports.homeChanged();
    if (this.mode.behaviour === "takeoff") this.startTakeoff(this.pendingTakeoff ?? this.defaultTakeoff());
    // A mission armed in its mode starts afresh.
    if (this.mode.behaviour === "auto") beginMission(this);
  }

  /** Motors off. `landing` when the vehicle came down by itself. */
  disarm(by: "command" | "landing" | "idleness" = "command"): void {
    if (!this.armed) return;
    this.armed = false;
    this.autoArmed = false;
    this.failsafeHold = undefined;
    const says = this.autopilot === "px4" ? PX4_DISARMED[by] : ARDUPILOT_SAYS[this.kind].disarmed;
    this.reports.text(Severity.INFO, says);
    // An aircraft whose motors are stopped in the air is on the ground soon; here, at once.
    if (this.kind === "copter" && !this.landed) {
      this.body.d = 0;
      this.body.vd = 0;
      this.landed = true;
    }
    // A rover that is disarmed in AUTO goes on where it was.
    if (this.kind === "copter" || this.mode.behaviour !== "auto") rewindMission(this);
    holdHere(this);
  }

  /** Climb straight up to a down-coordinate. */
  startTakeoff(down: number): void {
    this.autoArmed = true;
    this.guided = { kind: "takeoff", n: this.body.n, e: this.body.e, d: down };
  }

  /** PX4's takeoff waits, in its mode, to be armed. */
  takeoffTo(down: number): void {
    this.pendingTakeoff = down;
    if (this.armed) this.startTakeoff(down);
  }

  /** Advance by `dt` seconds of the vehicle's own time; `now` is the wall clock in milliseconds. */
  step(dt: number, now: number): void {
    this.time += dt;
    this.now = now;
    if (this.motorTestUntil !== undefined && this.motorTestUntil <= this.time) {
      this.motorTestUntil = undefined;
      this.reports.text(Severity.INFO, "finished motor test");
    }
    if (this.armed && this.throttleRaised()) this.autoArmed = true;
    const demand: Demand = this.armed ? this.demand() : { kind: "rest" };
    const limits = this.limits();
    if (this.kind === "rover") stepRover(this.body, demand, limits, dt);
    else this.stepInTheAir(demand, limits, dt);
    // A disarmed vehicle charges; otherwise a simulation that ran for a day could not take off.
    if (this.armed || this.motorTestUntil !== undefined) drain(this.battery, this.amperes(), dt);
    else charge(this.battery, dt);
    const over = this.armed && this.autoDisarm.step(this, this.throttleRaised());
    if (over) this.disarm(over);
  }

  private demand(): Demand {
    switch (this.mode.behaviour) {
      case "manual":
        return manualDemand(this);
      case "climb-rate":
        return climbRateDemand(this);
      case "guided":
        return guidedDemand(this);
      case "takeoff":
        return this.takeoffDemand();
      case "auto":
        return this.missionOrHold();
      case "return":
        return returnHome(this);
      case "land":
        return landAt(this, this.guided);
      case "circle":
        return circleDemand(this);
      case "stop":
        return guidedDemand(this);
    }
  }

  /** PX4 leaves its takeoff and a finished mission into Hold. */
  private takeoffDemand(): Demand {
    const demand = guidedDemand(this);
    if (this.guided.kind === "hold" && !this.landed) this.changeMode(this.modes.guided);
    return demand;
  }

  private missionOrHold(): Demand {
    const demand = missionDemand(this);
    const isUnderWay = this.kind === "rover" || !this.landed;
    if (this.run.state === "complete" && this.autopilot === "px4" && isUnderWay)
      this.changeMode(this.modes.stopping);
    return demand;
  }

  private limits(): Limits {
    const tuning = this.tuning;
    const asked = this.mode.behaviour === "auto" ? this.run.speed : this.speed;
    const fastest = this.kind === "rover" ? tuning.speed * 4 : loiterSpeed(this);
    return { ...tuning, speed: isPiloted(this.mode) ? fastest : (asked ?? tuning.speed) };
  }

  private stepInTheAir(demand: Demand, limits: Limits, dt: number): void {
    if (this.landed && demand.kind === "rest") {
      this.spooling = 0;
      Object.assign(this.body, { vn: 0, ve: 0, vd: 0, an: 0, ae: 0, ad: 0, roll: 0, pitch: 0, yawRate: 0 });
      return;
    }
    if (this.landed && this.spooling < this.spoolSeconds()) {
      this.spooling += dt;
      return;
    }
    this.spooling = 0;
    // A target that comes at the touch takes ArduPilot off the ground too slowly: its landing detector is sure before.
    const isTouching = !this.landed && this.body.d >= 0;
    const stays = isTouching && this.autopilot === "ardupilot" && !isPiloted(this.mode);
    if (!stays) stepCopter(this.body, demand, limits, dt);
    if (!settleOnGround(this.body)) {
      this.onGroundSince = this.time;
      this.landed = false;
    } else if (this.time - this.onGroundSince >= SURE_OF_GROUND) {
      this.landed = true;
    }
  }

  /** From standstill to flying speed motors pass two stages, each as long as the parameter says. */
  private spoolSeconds(): number {
    return this.params.get("COM_SPOOLUP_TIME", this.params.get("MOT_SPOOL_TIME") * 2);
  }

  private throttleRaised(): boolean {
    if (this.autopilot === "px4") return false;
    return this.pilot.sticks(this.now).throttle > DEADZONE_TOP;
  }

  private amperes(): number {
    if (this.kind === "rover") return IDLE_AMPERES + DRIVE_AMPERES * groundSpeed(this.body);
    return this.landed ? 2 : HOVER_AMPERES + Math.max(0, -this.body.vd) * 2;
  }
}
