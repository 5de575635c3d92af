import { setTimeout as delay } from "node:timers/promises";
import { differencesInWords } from "../../../domain/compare-plans";
import { DomainError, isDomainError } from "../../../domain/errors";
import { type MissionItem, mixedMission, planHash, rowName } from "../../../domain/mission-item";
import { Semaphore } from "../../../platform/semaphore";
import type { Calls } from "../../calls";
import type { FenceUpload, FlightState, MissionUpload, PlanOnBoard, VehicleIdentity } from "../../link";
import type { TransferRecords, UnfinishedTransfer } from "../../transfer-records";
import type { Commands } from "../commands/commands";
import { fliesMission } from "../modes";
import type { Params } from "../params/params";
import type { VehicleState } from "../state";
import type { StatusRecord, StatusTexts } from "../status-text";
import type { Retry } from "../wire/exchange";
import { enforcementOf } from "./enforcement";
import { isOutsideFence } from "./fence.plan";
import { fenceKind, missionKind, type PlanKind } from "./plan-kind";
import { isAboutPlans } from "./plan-protocol";
import type { PlanTransfer } from "./plan-transfer";
import { assertSame, leavesTheLink, planOnBoard, putBack, readBack } from "./put-back";
import { UnfinishedTransfers } from "./unfinished-transfers";

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
  readonly records: TransferRecords;
  /** What earlier links left. */
  readonly unfinished: Promise<readonly UnfinishedTransfer[]>;
}

interface Force {
  readonly force?: boolean | undefined;
}

interface MissionOptions extends Force {
  readonly mission_id?: number | undefined;
}

/** Missions and fences on one vehicle: one transfer at a time, each read back and compared. */
export class Plans
  implements
    Pick<
      Calls,
      "uploadMission" | "readMission" | "rewindMission" | "flightState" | "uploadFence" | "readFence"
    >
{
  private readonly mutex = new Semaphore(1);
  private readonly mission: PlanKind;
  private readonly unfinished: UnfinishedTransfers;

  constructor(
    private readonly link: LinkParts,
    private readonly timings: PlanTimings,
  ) {
    const { transfer, records, vehicle, state } = link;
    this.mission = missionKind(vehicle.autopilot, () => state.knownHome);
    this.unfinished = new UnfinishedTransfers(
      {
        ...{ transfer, records },
        kinds: { mission: this.mission, fence: fenceKind },
        isFlown: () => this.isFlown,
        onSent: (kind, kept) => this.onBoard(kind, kept),
      },
      link.unfinished,
    );
  }

  /** Finishes what earlier links left. Never rejects. */
  finishTransfers(): Promise<void> {
    return this.oneAtATime(async () => {});
  }

  uploadMission(plan: readonly MissionItem[], options: MissionOptions = {}): Promise<MissionUpload> {
    const { force = false, mission_id } = options;
    return this.oneAtATime(async () => {
      assertSendable(plan);
      if (this.isFlown && !force) {
        throw new DomainError(
          "conflict",
          "The vehicle is flying its mission; a new one would change the flight under way. Send force: true to do that.",
        );
      }
      const { kept, warnings } = await this.listening(async () => {
        const kept = await this.replace(this.mission, plan, mission_id);
        await this.onBoard(this.mission, kept);
        return kept;
      });
      const { adjusted } = this.mission.compare(plan, kept);
      return { hash: planHash(kept), items: kept, adjusted, warnings };
    });
  }

  readMission(): Promise<PlanOnBoard> {
    return this.read(this.mission);
  }

  readFence(): Promise<PlanOnBoard> {
    return this.read(fenceKind);
  }

  /** Rejects with `conflict` while the vehicle holds parts of two missions: before an order that flies its mission. */
  async assertWhole(): Promise<void> {
    const isMixture = await this.oneAtATime(async () => {
      const { reader } = this.link.transfer;
      if (!this.unfinished.hasAny(this.mission)) return false;
      return this.unfinished.left(
        this.mission,
        this.mission.fromWire(await reader.receive(this.mission.type)),
      );
    });
    if (isMixture) throw mixedMission();
  }

  rewindMission(): Promise<void> {
    return this.oneAtATime(() => this.beginWithFirst("The order was carried out"));
  }

  async flightState(): Promise<FlightState> {
    const { state, vehicle } = this.link;
    const armed = await this.isArmed();
    return { armed, mode: state.mode, flies_mission: armed && fliesMission(vehicle, state.customMode) };
  }

  uploadFence(fence: readonly MissionItem[], { force = false }: Force = {}): Promise<FenceUpload> {
    return this.oneAtATime(async () => {
      assertSendable(fence);
      const { vehicle, params } = this.link;
      if (!force) await this.assertInside(fence);
      const { warnings } = await this.listening(() => this.replace(fenceKind, fence));
      const enforcement = await enforcementOf(params, vehicle, fence.length, warnings);
      return { items: fence.length, enforcement, warnings };
    });
  }

  private read(kind: PlanKind): Promise<PlanOnBoard> {
    return this.oneAtATime(async () => {
      const items = kind.fromWire(await this.link.transfer.reader.receive(kind.type));
      return { hash: planHash(items), items, is_mixture: this.unfinished.left(kind, items) };
    });
  }

  /** One transfer at a time, after those that broke off before. */
  private oneAtATime<T>(task: () => Promise<T>): Promise<T> {
    return this.mutex.run(async () => {
      await this.unfinished.finish();
      return task();
    });
  }

  /**
   * Replaces a plan on the vehicle and reads it back. ArduPilot stores the items before a refused one, and keeps old ones
   * behind it: so the plan that was on board is read first and put back when the new one is refused, breaks off or
   * comes back different. The error then says what is on board.
   *
   * The transfer is on record from before the first item until the vehicle holds one plan whole.
   *
   * Rejects with `outcome_unknown` when the vehicle does not answer the reading back.
   */
  private async replace(
    kind: PlanKind,
    plan: readonly MissionItem[],
    missionId?: number,
  ): Promise<MissionItem[]> {
    try {
      return await this.sendAndReadBack(kind, plan, missionId);
    } catch (error) {
      this.unfinished.changed();
      throw error;
    }
  }

  private async sendAndReadBack(
    kind: PlanKind,
    plan: readonly MissionItem[],
    missionId: number | undefined,
  ): Promise<MissionItem[]> {
    const { transfer, records } = this.link;
    const { name, type, ownItems, fromWire, toWire } = kind;
    const before = await planOnBoard(transfer, type);
    const record = await records.begin({
      ...{ kind: name, missionId, sent: plan },
      before: before && fromWire(before),
    });
    try {
      const nameOf = (seq: number) => commandName(plan, seq - ownItems);
      const doubt = await transfer.send(toWire(plan), kind, nameOf);
      const kept = fromWire(await readBack(transfer, type));
      assertSame(differencesInWords(plan, kept, kind.compare(plan, kept)), name, doubt);
      await records.end(record, kept);
      return kept;
    } catch (error) {
      if (!isDomainError(error) || !leavesTheLink(error)) throw error;
      const { onBoard, isWhole } = await putBack(transfer, kind, before);
      if (isWhole) await records.end(record);
      throw new DomainError(error.code, `${error.message}; ${onBoard}`, { cause: error });
    }
  }

  /** The plan is on board as it was sent. */
  private async onBoard({ name }: PlanKind, kept: readonly MissionItem[]): Promise<void> {
    if (name === "mission" && kept.length > 0 && !this.isFlown)
      await this.beginWithFirst("The mission is on board as it was sent");
  }

  private get isFlown(): boolean {
    const { state, vehicle } = this.link;
    return state.armed && fliesMission(vehicle, state.customMode);
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

  private isArmed(): Promise<boolean> {
    const { state, commands } = this.link;
    return state.checkArmed(false, commands, this.timings.messageMs);
  }

  /** Rejects with `conflict` when an armed vehicle is outside of the fence: it would act on that at once. */
  private async assertInside(fence: readonly MissionItem[]): Promise<void> {
    const { commands, state, vehicle } = this.link;
    if (fence.length === 0 || !(await this.isArmed())) return;
    const position = await state.position(commands, this.timings.messageMs);
    if (position && !isOutsideFence(fence, position, vehicle.autopilot)) return;
    throw new DomainError(
      "conflict",
      position
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

const commandName = (plan: readonly MissionItem[], index: number): string | undefined => {
  const item = plan[index];
  return item && `${rowName(item, index)}, command ${item.command}`;
};

const isWhole = (value: number, most: number): boolean =>
  Number.isInteger(value) && value >= 0 && value <= most;
