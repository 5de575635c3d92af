import type { FlightState } from "../flight-state";
import type { Demand } from "../kinematics";
import { Command, type PlanItem } from "../missions/plan-item";
import { Severity } from "../reports";
import { landAt } from "./land";
import { orbit } from "./pilot";
import { bearing, beginReturn, returnHome } from "./return";

const REST: Demand = { kind: "rest" };
const TURN_RATE = (20 * Math.PI) / 180;
/** A plan of jumps alone must not hang the step. */
const MAX_ORDERS_PER_STEP = 100;

const NAMES: Readonly<Record<number, string>> = {
  16: "WP",
  17: "LoitUnlim",
  18: "LoitTurns",
  19: "LoitTime",
  20: "RTL",
  21: "Land",
  22: "Takeoff",
  82: "SplineWP",
  93: "Delay",
  112: "CondDelay",
  115: "CondYaw",
  177: "Jump",
  178: "ChangeSpeed",
  179: "SetHome",
};

/** The order at which the plan goes on: where it was left, or its start (MIS_RESTART, or when it was completed). */
export function missionStart({ run, mission, params }: FlightState): number {
  const afresh = run.state === "complete" || params.get("MIS_RESTART") === 1 || run.seq >= mission.count;
  return afresh ? mission.firstSeq : run.seq;
}

export function beginMission(flight: FlightState): void {
  const { run, mission } = flight;
  run.seq = missionStart(flight);
  run.speed = undefined;
  if (run.seq === mission.firstSeq) run.jumps.clear();
  run.state = "running";
  beginOrder(flight);
}

/** Back to the start, as a disarm and a clear do. */
export function rewindMission({ run, mission }: FlightState): void {
  run.state = "idle";
  run.seq = mission.firstSeq;
  run.jumps.clear();
}

/** Make another order the current one, in flight or before it. */
export function jumpTo(flight: FlightState, seq: number): boolean {
  const { run, mission } = flight;
  if (seq >= mission.count || mission.at(seq) === undefined) return false;
  run.seq = Math.max(seq, mission.firstSeq);
  if (run.state === "complete") run.state = "idle";
  if (run.state === "running") beginOrder(flight);
  return true;
}

/** The commands whose position is flown to. */
const FLOWN_TO = new Set<number>([
  Command.NAV_WAYPOINT,
  Command.NAV_SPLINE_WAYPOINT,
  Command.NAV_LOITER_TIME,
  Command.NAV_LOITER_UNLIM,
  Command.NAV_LOITER_TURNS,
]);

/** The position of the current item, local NED; undefined for one without a position, and while no mission is flown. */
export function missionTarget(flight: FlightState): { n: number; e: number; d: number } | undefined {
  const { run, mission, mode } = flight;
  const isFlown = run.state === "running" && mode.behaviour === "auto";
  const order = isFlown ? mission.at(run.seq) : undefined;
  return order && FLOWN_TO.has(order.command) ? positionOf(flight, order) : undefined;
}

export function missionDemand(flight: FlightState): Demand {
  const { run, mission } = flight;
  for (let count = 0; count < MAX_ORDERS_PER_STEP && run.state === "running"; count++) {
    const order = mission.at(run.seq);
    if (!order) {
      finish(flight);
      break;
    }
    if (order.command === Command.DO_JUMP) {
      moveOn(flight, jumpTarget(flight, order));
      continue;
    }
    const demand = carryOut(flight, order);
    if (demand !== "done") return demand;
    advance(flight, order);
  }
  return flight.landed ? REST : { kind: "position", ...run.from };
}

/** The order's demand, or that it is done. */
function carryOut(flight: FlightState, order: PlanItem): Demand | "done" {
  switch (order.command) {
    case Command.NAV_TAKEOFF:
      return flight.kind === "rover" ? "done" : takeoff(flight, order);
    case Command.NAV_WAYPOINT:
    case Command.NAV_SPLINE_WAYPOINT:
      return goTo(flight, order, order.param1);
    case Command.NAV_LOITER_TIME:
      return goTo(flight, order, order.param1);
    case Command.NAV_LOITER_UNLIM:
      return goTo(flight, order, Number.POSITIVE_INFINITY);
    case Command.NAV_LOITER_TURNS:
      return turns(flight, order);
    case Command.NAV_LAND:
      return flight.kind === "rover" ? "done" : land(flight, order);
    case Command.NAV_RETURN_TO_LAUNCH:
      return home(flight);
    case Command.NAV_DELAY:
    case Command.CONDITION_DELAY:
      return waited(flight, order.param1) ? "done" : hold(flight);
    case Command.DO_CHANGE_SPEED:
      if (order.param2 > 0) flight.run.speed = order.param2;
      return "done";
    default:
      return "done";
  }
}

function takeoff(flight: FlightState, order: PlanItem): Demand | "done" {
  if (flight.landed && !flight.autoArmed) return REST;
  const down = Math.min(downOf(flight, order), flight.run.from.d);
  if (flight.body.d <= down + 0.3) return "done";
  const { n, e } = flight.run.from;
  return { kind: "position", n, e, d: down };
}

function goTo(flight: FlightState, order: PlanItem, hold: number): Demand | "done" {
  if (flight.landed && flight.kind === "copter") return REST;
  const target = positionOf(flight, order);
  const { body, run, tuning } = flight;
  const far =
    flight.kind === "rover"
      ? Math.hypot(target.n - body.n, target.e - body.e)
      : Math.hypot(target.n - body.n, target.e - body.e, target.d - body.d);
  // A plan's own acceptance radius is PX4's; ArduPilot has WP_RADIUS only.
  const radius = flight.autopilot === "px4" && order.param2 > 0 ? order.param2 : tuning.waypointRadius;
  if (far <= radius && run.arrivedAt === undefined) run.arrivedAt = flight.time;
  if (run.arrivedAt !== undefined && flight.time - run.arrivedAt >= hold) return "done";
  return { kind: "position", ...target, yaw: bearing(flight, target) };
}

function turns(flight: FlightState, order: PlanItem): Demand | "done" {
  if (flight.kind === "rover") return goTo(flight, order, 0);
  const { run, body } = flight;
  const centre = positionOf(flight, order);
  const radius = Math.abs(order.param3) || flight.params.get("CIRCLE_RADIUS_M", 10);
  const far = Math.hypot(body.n - centre.n, body.e - centre.e);
  if (run.arrivedAt === undefined) {
    if (Math.abs(far - radius) > flight.tuning.waypointRadius && far > radius)
      return { kind: "position", ...centre, yaw: bearing(flight, centre) };
    run.arrivedAt = flight.time;
  }
  const turned = ((flight.time - run.arrivedAt) * TURN_RATE) / (2 * Math.PI);
  return turned >= order.param1 ? "done" : orbit(body, centre, radius, TURN_RATE);
}

function land(flight: FlightState, order: PlanItem): Demand | "done" {
  if (flight.landed) return "done";
  const { run, body } = flight;
  const named = order.x !== 0 || order.y !== 0;
  const target = named ? positionOf(flight, order) : { ...run.from };
  if (run.arrivedAt === undefined) {
    if (Math.hypot(target.n - body.n, target.e - body.e) > 1)
      return { kind: "position", n: target.n, e: target.e, d: run.from.d, yaw: bearing(flight, target) };
    run.arrivedAt = flight.time;
  }
  return landAt(flight, target);
}

function home(flight: FlightState): Demand | "done" {
  const demand = returnHome(flight);
  return demand.kind === "rest" ? "done" : demand;
}

/** The order after a jump: its target as often as it says, for ever when the count is negative. */
function jumpTarget(flight: FlightState, order: PlanItem): number {
  const { run, mission } = flight;
  const taken = run.jumps.get(run.seq) ?? 0;
  if (order.param2 >= 0 && taken >= order.param2) return run.seq + 1;
  run.jumps.set(run.seq, taken + 1);
  return Math.max(mission.firstSeq, order.param1);
}

function advance(flight: FlightState, order: PlanItem): void {
  const { run, reports } = flight;
  if (order.command < Command.CONDITION_DELAY) {
    const silent = order.command === Command.NAV_TAKEOFF || order.command === Command.NAV_LAND;
    if (flight.autopilot === "ardupilot" && !silent)
      reports.text(Severity.INFO, `Reached command #${run.seq}`);
    reports.itemReached(run.seq);
  }
  moveOn(flight, run.seq + 1);
}

function moveOn(flight: FlightState, seq: number): void {
  flight.run.seq = seq;
  if (seq < flight.mission.count) beginOrder(flight);
  else finish(flight);
}

function beginOrder(flight: FlightState): void {
  const { run, mission, reports } = flight;
  const order = mission.at(run.seq);
  run.arrivedAt = undefined;
  run.from = flight.here();
  if (!order) return;
  if (order.command === Command.NAV_RETURN_TO_LAUNCH) beginReturn(flight);
  if (flight.autopilot !== "ardupilot") return;
  const impossible =
    flight.kind === "rover" && (order.command === Command.NAV_TAKEOFF || order.command === Command.NAV_LAND);
  if (impossible) reports.text(Severity.INFO, `Skipping invalid cmd #${order.command}`);
  else reports.text(Severity.INFO, `Mission: ${run.seq} ${NAMES[order.command] ?? `#${order.command}`}`);
}

/** A flying copter stays where the plan ended, in the same mode (PX4: in Hold). */
function finish(flight: FlightState): void {
  const { run, mission, reports } = flight;
  run.state = "complete";
  run.from = flight.here();
  run.seq = Math.max(mission.firstSeq, mission.count - 1);
  if (flight.autopilot === "px4") reports.text(Severity.INFO, "Mission finished, loitering\t");
  else if (flight.kind === "rover") reports.text(Severity.NOTICE, "Mission Complete");
}

function waited(flight: FlightState, seconds: number): boolean {
  flight.run.arrivedAt ??= flight.time;
  return flight.time - flight.run.arrivedAt >= seconds;
}

const hold = (flight: FlightState): Demand =>
  flight.landed || flight.kind === "rover" ? REST : { kind: "position", ...flight.run.from };

/** A position of zeros is where the order began. */
function positionOf(flight: FlightState, order: PlanItem): { n: number; e: number; d: number } {
  const d = downOf(flight, order);
  if (order.x === 0 && order.y === 0) return { n: flight.run.from.n, e: flight.run.from.e, d };
  return { ...flight.local({ lat: order.x / 1e7, lng: order.y / 1e7 }), d };
}

/** Heights in frame 0 and 5 are above mean sea level; in 3 and 6, and above the flat terrain here, above home. */
function downOf(flight: FlightState, order: PlanItem): number {
  return order.frame === 0 || order.frame === 5 ? flight.origin.altitude - order.z : flight.downOf(order.z);
}
