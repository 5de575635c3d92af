import type { CallName, Calls } from "../calls";
import type { VehicleIdentity } from "../link";
import type { TransferRecords, UnfinishedTransfer } from "../transfer-records";
import type { Commands } from "./commands/commands";
import { Flight } from "./commands/flight";
import { ModeOrders } from "./commands/mode-orders";
import { MotorTest } from "./commands/motor-test";
import { Preconditions } from "./commands/preconditions";
import { Preflight } from "./commands/preflight";
import { Reposition } from "./commands/reposition";
import { PlanReader } from "./missions/plan-reader";
import { PlanTransfer } from "./missions/plan-transfer";
import { Plans } from "./missions/plans";
import type { Params } from "./params/params";
import type { VehicleState } from "./state";
import type { StatusTexts } from "./status-text";
import type { MavlinkTimings } from "./timings";
import type { Channel } from "./wire/channel";

/** What each link has. */
export interface LinkParts {
  readonly channel: Channel;
  readonly vehicle: VehicleIdentity;
  readonly state: VehicleState;
  readonly texts: StatusTexts;
  readonly commands: Commands;
  readonly params: Params;
  readonly records: TransferRecords;
  readonly timings: MavlinkTimings;
}

export interface Orders {
  call(name: CallName, args: unknown[]): Promise<unknown>;
  readonly plans: Plans;
}

/**
 * The parts of a link that carry out its calls, put together. Most links are only held: they never need them. `unfinished`
 * is what earlier links left.
 */
export function createOrders(link: LinkParts, unfinished: Promise<readonly UnfinishedTransfer[]>): Orders {
  const { channel, vehicle, state, texts, commands, params, records, timings } = link;
  const reader = new PlanReader(channel, vehicle.autopilot, timings.plan);
  const transfer = new PlanTransfer(channel, reader, texts, timings.plan);
  const plans = new Plans(
    { transfer, vehicle, state, params, commands, texts, records, unfinished },
    timings.plan,
  );
  const preflight = new Preflight(channel, vehicle, commands, state, texts, timings.command);
  const preconditions = new Preconditions(vehicle, commands, state, timings.flight);
  const modes = new ModeOrders(channel, vehicle, commands, state, timings.flight, plans);
  const reposition = new Reposition(
    { channel, vehicle, commands, state, modes, preconditions, texts },
    timings.flight,
  );
  const motorTest = new MotorTest(vehicle, commands, params, state, preconditions);
  const flight = new Flight({ vehicle, commands, state, preflight, preconditions, modes }, timings.flight);
  const parts: { readonly [Name in CallName]: Pick<Calls, Name> } = {
    arm: flight,
    disarm: flight,
    takeoff: flight,
    motorTest,
    move: reposition,
    setMode: modes,
    land: modes,
    goTo: reposition,
    preflightFailures: preflight,
    uploadMission: plans,
    readMission: plans,
    rewindMission: plans,
    flightState: plans,
    uploadFence: plans,
    readFence: plans,
    readParams: params,
    writeParam: params,
    pullParams: params,
  };
  return {
    plans,
    call: (name, args) => {
      const part = parts[name] as Record<CallName, (...args: unknown[]) => Promise<unknown>>;
      return part[name](...args);
    },
  };
}
