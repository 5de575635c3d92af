import { DomainError } from "../../../domain/errors";
import { type MissionItem, planHash } from "../../../domain/mission-item";
import { Semaphore } from "../../../platform/semaphore";
import type { CallsOf, planCalls } from "../../calls";
import type { FenceUpload, Param, VehicleIdentity, VerifiedPlan } from "../../link";
import { fliesMission } from "../modes";
import { isNoResponse } from "../no-response";
import type { Params } from "../params/params";
import type { VehicleState } from "../state";
import { type PlanTransfer, PlanType, planOutcomeUnknown } from "./plan-transfer";
import {
  fenceDifferences,
  fromWire,
  missionDifferences,
  missionFromWire,
  toWire,
  type WireItem,
  wireMission,
} from "./wire-item.plan";

/** MAVLink counts items in 16 bits; autopilots hold fewer and say so themselves. */
const MAX_ITEMS = 0xfffe;

/** Missions and fences on one vehicle: one transfer at a time, each read back and compared. */
export class Plans implements CallsOf<typeof planCalls> {
  private readonly mutex = new Semaphore(1);

  constructor(
    private readonly transfer: PlanTransfer,
    private readonly vehicle: VehicleIdentity,
    private readonly state: VehicleState,
    private readonly params: Params,
  ) {}

  uploadMission(
    plan: readonly MissionItem[],
    { force = false }: { force?: boolean | undefined } = {},
  ): Promise<VerifiedPlan> {
    return this.mutex.run(async () => {
      assertSendable(plan);
      if (!force && this.state.armed && fliesMission(this.vehicle, this.state.customMode)) {
        throw new DomainError(
          "conflict",
          "The vehicle is flying its mission; a new one would change the flight under way. Send force: true to do that.",
        );
      }
      const home = this.state.knownHome ?? positionOf(plan[0]);
      const doubt = await this.replace(
        plan.length === 0 ? [] : wireMission(plan, this.vehicle.autopilot, home),
        PlanType.mission,
      );
      const kept = missionFromWire(await this.readBack(PlanType.mission), this.vehicle.autopilot);
      assertSame(missionDifferences(plan, kept, this.vehicle.autopilot), "mission", doubt);
      return { hash: planHash(kept), items: kept };
    });
  }

  readMission(): Promise<VerifiedPlan> {
    return this.mutex.run(async () => {
      const items = missionFromWire(await this.transfer.receive(PlanType.mission), this.vehicle.autopilot);
      return { hash: planHash(items), items };
    });
  }

  uploadFence(fence: readonly MissionItem[]): Promise<FenceUpload> {
    return this.mutex.run(async () => {
      assertSendable(fence);
      const doubt = await this.replace(fence.map(toWire), PlanType.fence);
      const kept = (await this.readBack(PlanType.fence)).map(fromWire);
      assertSame(fenceDifferences(fence, kept), "fence", doubt);
      return { items: fence.length, enforcement: await this.enforcement(fence.length > 0) };
    });
  }

  private async replace(items: readonly WireItem[], type: PlanType): Promise<DomainError | undefined> {
    if (items.length > 0) return this.transfer.send(items, type);
    await this.transfer.clear(type);
    return undefined;
  }

  /** What the vehicle holds after an upload. Rejects with `outcome_unknown` when it does not answer. */
  private async readBack(type: PlanType): Promise<WireItem[]> {
    try {
      return await this.transfer.receive(type);
    } catch (error) {
      throw isNoResponse(error) ? planOutcomeUnknown(type, error) : error;
    }
  }

  /** The upload stands whatever the parameters are, so a parameter that cannot be read is left out. */
  private async enforcement(fenced: boolean): Promise<FenceUpload["enforcement"]> {
    const names =
      this.vehicle.autopilot === "px4" ? ["GF_ACTION"] : ["FENCE_ENABLE", "FENCE_ACTION", "FENCE_TYPE"];
    const answers = await Promise.allSettled(names.map((name) => this.params.readParams([name])));
    const params = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    return { active: fenced && acts(params, this.vehicle.autopilot), params };
  }
}

/** FENCE_TYPE bit: uploaded polygons and circles (the others are altitude and a circle around home). */
const UPLOADED_SHAPES = 4;
/** GF_ACTION and FENCE_ACTION below this warn or report and leave the flight alone. */
const PX4_FIRST_ACTION = 2;
const ARDUPILOT_FIRST_ACTION = 1;

function acts(params: readonly Param[], autopilot: VehicleIdentity["autopilot"]): boolean {
  const value = (name: string) => params.find(({ param_id }) => param_id === name)?.value;
  if (autopilot === "px4") return (value("GF_ACTION") ?? 0) >= PX4_FIRST_ACTION;
  const type = value("FENCE_TYPE") ?? UPLOADED_SHAPES;
  return (
    value("FENCE_ENABLE") === 1 &&
    (value("FENCE_ACTION") ?? 0) >= ARDUPILOT_FIRST_ACTION &&
    (type & UPLOADED_SHAPES) !== 0
  );
}

const positionOf = (item: MissionItem | undefined) => ({
  lat: item?.x_lat ?? 0,
  lng: item?.y_long ?? 0,
  altitude: 0,
});

/** Throws the doubt rather than the differences when there is one: it is the vehicle's own word. */
function assertSame(differences: readonly string[], what: string, doubt: DomainError | undefined): void {
  if (differences.length === 0) return;
  if (doubt) throw doubt;
  const shown = differences.slice(0, 5).join("; ");
  const more = differences.length > 5 ? ` (and ${differences.length - 5} more)` : "";
  throw new DomainError(
    "transfer_failed",
    `The ${what} did not read back from the vehicle as it was sent: ${shown}${more}. Do not fly it; upload again.`,
  );
}

/** Refused before anything is sent: a half-sent plan is worse than none. */
function assertSendable(items: readonly MissionItem[]): void {
  if (items.length > MAX_ITEMS)
    throw new DomainError("invalid_input", `A plan has at most ${MAX_ITEMS} items.`);
  for (const [at, item] of items.entries()) {
    const { x_lat, y_long, z_alt, param1, param2, param3, param4 } = item;
    const sound =
      Math.abs(x_lat) <= 90 &&
      Math.abs(y_long) <= 180 &&
      [z_alt, param1, param2, param3, param4].every(Number.isFinite) &&
      isWhole(item.command, 0xffff) &&
      isWhole(item.frame, 0xff);
    if (!sound)
      throw new DomainError("invalid_input", `Item ${at + 1} of the plan is not a valid MAVLink item.`);
  }
}

const isWhole = (value: number, most: number): boolean =>
  Number.isInteger(value) && value >= 0 && value <= most;
