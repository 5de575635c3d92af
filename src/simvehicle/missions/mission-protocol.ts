import { createHash } from "node:crypto";
import { build } from "../../vehicle/mavlink/wire/codec";
import { common, type MavLinkData } from "../../vehicle/mavlink/wire/messages";
import type { Flight } from "../flight";
import { jumpTo } from "../modes/auto";
import type { Sender } from "../params/param-protocol";
import { Severity } from "../reports";
import { MissionResult, type PlanItem } from "./plan-item";
import { planStore, type StoredPlan } from "./plan-store";

/** Milliseconds: an item is asked for again after the first, the transfer given up after the second. */
const RETRY = 1000;
const GIVE_UP = 8000;
/** PX4 ends a reading so many milliseconds after the last request. */
const READING_END = 5000;
/** PX4 reviews a plan so many milliseconds after it acknowledged it. */
const REVIEW_DELAY = 500;

interface Upload {
  readonly from: Sender;
  readonly plan: StoredPlan;
  readonly count: number;
  readonly incoming: PlanItem[];
  next: number;
  receivedAt: number;
  requestedAt: number;
}

/**
 * The mission protocol from the vehicle's side. ArduPilot asks with MISSION_REQUEST and changes its plan item
 * by item; PX4 asks with MISSION_REQUEST_INT and changes it when the last item came. A fence is judged whole.
 */
export class MissionProtocol {
  private upload: Upload | undefined;
  /** Of PX4: the plan that it gives back, and the item that must be requested next. */
  private download: { readonly plan: StoredPlan; next: number; requestedAt: number } | undefined;

  /** Plans to be reviewed, each with the time of its review. */
  private readonly reviews = new Map<
    StoredPlan["type"],
    { readonly plan: StoredPlan; readonly at: number }
  >();

  constructor(
    private readonly flight: Flight,
    private readonly send: (message: MavLinkData) => void,
  ) {}

  count(message: common.MissionCount, from: Sender, now: number): void {
    const plan = planStore(this.flight, message.missionType);
    if (!plan) {
      this.ack(from, message.missionType, MissionResult.UNSUPPORTED);
      return;
    }
    if (message.count > plan.capacity) {
      this.ack(from, plan.type, MissionResult.NO_SPACE);
      this.flight.reports.text(Severity.WARNING, `Only ${plan.capacity} items are supported`);
      return;
    }
    plan.begin(message.count);
    if (message.count === 0) {
      this.upload = undefined;
      this.finish(plan, [], from, now);
      return;
    }
    this.upload = {
      from,
      plan,
      count: message.count,
      incoming: [],
      next: 0,
      receivedAt: now,
      requestedAt: now,
    };
    this.request();
  }

  item(message: common.MissionItemInt, from: Sender, now: number): void {
    const { upload } = this;
    if (!upload) {
      // PX4 takes it for a late repeat; ArduPilot objects.
      if (this.flight.autopilot === "ardupilot") this.ack(from, message.missionType, MissionResult.ERROR);
      return;
    }
    if (message.seq !== upload.next) {
      if (this.flight.autopilot === "ardupilot")
        this.ack(from, upload.plan.type, MissionResult.INVALID_SEQUENCE);
      else this.request();
      return;
    }
    const result = upload.plan.put(message.seq, itemOf(message), upload.incoming);
    if (result !== MissionResult.ACCEPTED) {
      this.upload = undefined;
      this.ack(from, upload.plan.type, result);
      this.flight.reports.text(Severity.WARNING, `Mission item ${message.seq} refused (${result})`);
      return;
    }
    upload.receivedAt = now;
    upload.next += 1;
    if (upload.next < upload.count) {
      upload.requestedAt = now;
      this.request();
      return;
    }
    this.upload = undefined;
    this.finish(upload.plan, upload.incoming, from, now);
  }

  private finish(plan: StoredPlan, incoming: readonly PlanItem[], from: Sender, now: number): void {
    const result = plan.finish(incoming);
    this.ack(from, plan.type, result);
    if (result === MissionResult.ACCEPTED) this.reviews.set(plan.type, { plan, at: now + REVIEW_DELAY });
  }

  requestList(message: common.MissionRequestList, from: Sender, now: number): void {
    const plan = planStore(this.flight, message.missionType);
    if (!plan || this.upload) {
      this.ack(from, message.missionType, plan ? MissionResult.DENIED : MissionResult.UNSUPPORTED);
      return;
    }
    this.download = { plan, next: 0, requestedAt: now };
    this.sendCount(plan, from);
  }

  private sendCount(plan: StoredPlan, to: Sender): void {
    this.send(
      build(common.MissionCount, {
        targetSystem: to.systemId,
        targetComponent: to.componentId,
        count: plan.count,
        missionType: plan.type,
        opaqueId: this.flight.autopilot === "px4" ? checksum(plan) : 0,
      }),
    );
  }

  /** ArduPilot answers a request beyond its mission's end with the true count, then the error. */
  private noSuchItem(plan: StoredPlan | undefined, from: Sender): MissionResult {
    if (!plan) return MissionResult.UNSUPPORTED;
    const mission = plan.type === common.MavMissionType.MISSION;
    if (this.flight.autopilot === "px4" || !mission) return MissionResult.INVALID_SEQUENCE;
    this.sendCount(plan, from);
    return MissionResult.ERROR;
  }

  requestItem(message: common.MissionRequestInt, from: Sender, now: number): void {
    if (this.flight.autopilot === "px4" && !this.isInTurn(message, from, now)) return;
    const plan = planStore(this.flight, message.missionType);
    const item = plan?.at(message.seq);
    if (!plan || this.upload || !item) {
      this.ack(from, message.missionType, this.upload ? MissionResult.DENIED : this.noSuchItem(plan, from));
      return;
    }
    this.send(
      build(common.MissionItemInt, {
        ...item,
        targetSystem: from.systemId,
        targetComponent: from.componentId,
        seq: message.seq,
        current: plan.current === message.seq ? 1 : 0,
        missionType: plan.type,
      }),
    );
  }

  /** PX4 gives items in their order, the last one again; any other request ends the transfer. */
  private isInTurn({ seq, missionType }: common.MissionRequestInt, from: Sender, now: number): boolean {
    const { download } = this;
    if (!download || download.plan.type !== missionType) return false;
    download.requestedAt = now;
    if (seq === download.next && seq < download.plan.count) download.next += 1;
    else if (seq !== download.next - 1) {
      this.download = undefined;
      this.ack(from, missionType, MissionResult.ERROR);
      this.flight.reports.text(Severity.CRITICAL, "WPM: REJ. CMD: Req. WP was unexpected\t");
      return false;
    }
    return true;
  }

  clearAll(message: common.MissionClearAll, from: Sender): void {
    const plan = planStore(this.flight, message.missionType);
    if (!plan) this.ack(from, message.missionType, MissionResult.UNSUPPORTED);
    else
      this.ack(from, plan.type, this.upload || !plan.clear() ? MissionResult.ERROR : MissionResult.ACCEPTED);
  }

  /** MISSION_SET_CURRENT. */
  setCurrent(message: common.MissionSetCurrent): boolean {
    return jumpTo(this.flight, message.seq);
  }

  /** Review a plan, ask again, or give up. */
  step(now: number): void {
    for (const [type, { plan, at }] of this.reviews) {
      if (now < at) continue;
      this.reviews.delete(type);
      plan.review();
    }
    const { upload, download } = this;
    if (download && now - download.requestedAt > READING_END) this.download = undefined;
    if (!upload) return;
    if (now - upload.receivedAt > GIVE_UP) {
      this.upload = undefined;
      this.flight.reports.text(Severity.WARNING, `${upload.plan.name} upload timeout`);
      this.ack(upload.from, upload.plan.type, MissionResult.OPERATION_CANCELLED);
    } else if (now - upload.requestedAt > RETRY) {
      upload.requestedAt = now;
      this.request();
    }
  }

  private request(): void {
    const { upload } = this;
    if (!upload) return;
    const message = this.flight.autopilot === "px4" ? common.MissionRequestInt : common.MissionRequest;
    this.send(
      build<common.MissionRequest | common.MissionRequestInt>(message, {
        targetSystem: upload.from.systemId,
        targetComponent: upload.from.componentId,
        seq: upload.next,
        missionType: upload.plan.type,
      }),
    );
  }

  private ack(to: Sender, missionType: common.MavMissionType, result: MissionResult): void {
    this.send(
      build(common.MissionAck, {
        targetSystem: to.systemId,
        targetComponent: to.componentId,
        type: result,
        missionType,
      }),
    );
  }
}

/** The message without its addressees and its place in a plan. */
const itemOf = (message: common.MissionItemInt): PlanItem => {
  const { targetSystem, targetComponent, missionType, seq, current, ...item } = message;
  return item;
};

/** As PX4's it is 0 of an empty plan, and another for each content. */
function checksum(plan: StoredPlan): number {
  const items = Array.from({ length: plan.count }, (_, seq) => plan.at(seq));
  if (items.length === 0) return 0;
  return createHash("sha256").update(JSON.stringify(items)).digest().readUInt32LE();
}
