import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../../domain/errors";
import { type MissionItem, planHash, rowName } from "../../../domain/mission-item";
import { Semaphore } from "../../../platform/semaphore";
import type { CallsOf, planCalls } from "../../calls";
import type { FenceUpload, FlightState, MissionUpload, VehicleIdentity, VerifiedPlan } from "../../link";
import type { Commands } from "../commands/commands";
import { fliesMission } from "../modes";
import type { Params } from "../params/params";
import type { VehicleState } from "../state";
import type { StatusRecord, StatusTexts } from "../status-text";
import type { Retry } from "../wire/exchange";
import { common } from "../wire/messages";
import { enforcementOf } from "./enforcement";
import { isOutsideFence } from "./fence.plan";
import { isAboutPlans, type PlanTransfer, PlanType } from "./plan-transfer";
import { replacePlan } from "./replace-plan";
import { acceptable, compareMissions, fenceDifferences } from "./stored-item.plan";
import { fromWire, missionFromWire, wireFence, wireMission } from "./wire-item.plan";

/** MAVLink counts items in 16 bits; autopilots hold fewer and say so themselves. */
const MAX_ITEMS = 0xfffe;

export interface PlanTimings extends Retry {
  /** How long after an upload PX4 may take to say what it thinks of the plan. */
  readonly verdictMs: number;
  /** How long a requested message may take. */
  readonly messageMs: number;
}

/** The parts of a link that missions and fences use. */
interface LinkParts {
  readonly transfer: PlanTransfer;
  readonly vehicle: VehicleIdentity;
  readonly state: VehicleState;
  readonly params: Params;
  readonly commands: Commands;
  readonly texts: StatusTexts;
}

interface Force {
  readonly force?: boolean | undefined;
}

/** Missions and fences on one vehicle: one transfer at a time, each read back and compared. */
export class Plans implements CallsOf<typeof planCalls> {
  private readonly mutex = new Semaphore(1);

  constructor(
    private readonly link: LinkParts,
    private readonly timings: PlanTimings,
  ) {}

  uploadMission(plan: readonly MissionItem[], { force = false }: Force = {}): Promise<MissionUpload> {
    return this.mutex.run(async () => {
      assertSendable(plan);
      const { state, vehicle, transfer } = this.link;
      const { autopilot } = vehicle;
      const isUnderWay = state.armed && fliesMission(vehicle, state.customMode);
      if (isUnderWay && !force) {
        throw new DomainError(
          "conflict",
          "The vehicle is flying its mission; a new one would change the flight under way. Send force: true to do that.",
        );
      }
      const home = state.knownHome ?? positionOf(plan[0]);
      const ownItems = autopilot === "ardupilot" ? 1 : 0;
      const { kept, warnings } = await this.listening(async () => {
        const kept = await replacePlan(transfer, {
          type: PlanType.mission,
          items: wireMission(acceptable(plan, autopilot), autopilot, home),
          ownItems,
          nameOf: (seq) => commandName(plan, seq - ownItems),
          read: (items) => missionFromWire(items, autopilot),
          differences: (items) => compareMissions(plan, items, autopilot).differences,
          isSame: (before, now) =>
            compareMissions(missionFromWire(before, autopilot), missionFromWire(now, autopilot), autopilot)
              .differences.length === 0,
        });
        if (kept.length > 0 && !isUnderWay)
          await this.beginWithFirst("The mission is on board as it was sent");
        return kept;
      });
      const { adjusted } = compareMissions(plan, kept, autopilot);
      return { hash: planHash(kept), items: kept, adjusted, warnings };
    });
  }

  readMission(): Promise<VerifiedPlan> {
    return this.mutex.run(async () => {
      const { transfer, vehicle } = this.link;
      const items = missionFromWire(await transfer.receive(PlanType.mission), vehicle.autopilot);
      return { hash: planHash(items), items };
    });
  }

  rewindMission(): Promise<void> {
    return this.mutex.run(() => this.beginWithFirst("The order was carried out"));
  }

  async flightState(): Promise<FlightState> {
    const { state, vehicle } = this.link;
    const armed = await this.isArmed();
    return { armed, mode: state.mode, flies_mission: armed && fliesMission(vehicle, state.customMode) };
  }

  uploadFence(fence: readonly MissionItem[], { force = false }: Force = {}): Promise<FenceUpload> {
    return this.mutex.run(async () => {
      assertSendable(fence);
      const { transfer, vehicle, params } = this.link;
      if (!force) await this.assertInside(fence);
      const { warnings } = await this.listening(() =>
        replacePlan(transfer, {
          type: PlanType.fence,
          items: wireFence(fence),
          ownItems: 0,
          nameOf: (seq) => commandName(fence, seq),
          read: (items) => items.map(fromWire),
          differences: (items) => fenceDifferences(fence, items),
          isSame: (before, now) => fenceDifferences(before.map(fromWire), now.map(fromWire)).length === 0,
        }),
      );
      const enforcement = await enforcementOf(params, vehicle.autopilot, fence.length, warnings);
      return { items: fence.length, enforcement, warnings };
    });
  }

  /**
   * PX4 keeps the number of the item at which it was, through an upload and after a flight. ArduPilot begins anew by
   * itself. `done` is what stands when the vehicle does not obey.
   */
  private async beginWithFirst(done: string): Promise<void> {
    if (this.link.vehicle.autopilot !== "px4") return;
    try {
      await this.link.transfer.setCurrent(0);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      throw new DomainError(error.code, `${done}, but ${error.message}`, { cause: error });
    }
  }

  /** Heartbeats come once a second: one that showed a disarmed vehicle may be from before its arming. */
  private async isArmed(): Promise<boolean> {
    const { state, commands } = this.link;
    if (!state.armed) await state.refresh(commands, this.timings.messageMs);
    return state.armed;
  }

  /** Rejects with `conflict` when an armed vehicle is outside of the fence: it would act on that at once. */
  private async assertInside(fence: readonly MissionItem[]): Promise<void> {
    const { commands, vehicle } = this.link;
    if (fence.length === 0 || !(await this.isArmed())) return;
    const position = await commands.fetch(common.GlobalPositionInt, this.timings.messageMs);
    const place = position && { lat: position.lat / 1e7, lng: position.lon / 1e7 };
    if (place && !isOutsideFence(fence, place, vehicle.autopilot)) return;
    throw new DomainError(
      "conflict",
      place
        ? "The vehicle is armed and outside of this fence, which would trigger its failsafe at once. Send force: true to upload it all the same."
        : "The vehicle is armed and does not tell its position: it may be outside of this fence, which would trigger its failsafe at once. Send force: true to upload it all the same.",
    );
  }

  /** What the vehicle says of the plan: PX4 takes one, and half a second later says what is wrong with it. */
  private async listening<T>(upload: () => Promise<T>): Promise<{ kept: T; warnings: string[] }> {
    const record: StatusRecord = this.link.texts.record(isAboutPlans);
    try {
      const kept = await upload();
      if (this.link.vehicle.autopilot === "px4") await delay(this.timings.verdictMs);
      return { kept, warnings: record.grave.map((text) => text.trim()) };
    } finally {
      record.stop();
    }
  }
}

const commandName = (plan: readonly MissionItem[], index: number): string | undefined => {
  const item = plan[index];
  return item && `${rowName(item, index)}, command ${item.command}`;
};

const positionOf = (item: MissionItem | undefined) => ({
  lat: item?.x_lat ?? 0,
  lng: item?.y_long ?? 0,
  altitude: 0,
});

/** Refused before anything is sent: a half-sent plan is worse than none. */
function assertSendable(items: readonly MissionItem[]): void {
  if (items.length > MAX_ITEMS)
    throw new DomainError("invalid_input", `A plan has at most ${MAX_ITEMS} items.`);
  for (const [at, item] of items.entries()) {
    const { x_lat, y_long, z_alt, param1, param2, param3, param4 } = item;
    const sound =
      Math.abs(x_lat) <= 90 &&
      Math.abs(y_long) <= 180 &&
      [z_alt, param1, param2, param3].every(Number.isFinite) &&
      (Number.isFinite(param4) || Number.isNaN(param4)) &&
      isWhole(item.command, 0xffff) &&
      isWhole(item.frame, 0xff);
    if (!sound)
      throw new DomainError("invalid_input", `The plan's ${rowName(item, at)} is not a valid MAVLink item.`);
  }
}

const isWhole = (value: number, most: number): boolean =>
  Number.isInteger(value) && value >= 0 && value <= most;
