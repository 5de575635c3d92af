import { DomainError } from "../../../domain/errors";
import type { VehicleIdentity } from "../../link";
import { isSilence, outcomeUnknown } from "../no-response";
import type { StatusRecord, StatusTexts } from "../status-text";
import type { Channel } from "../wire/channel";
import { build } from "../wire/codec";
import { converse, type Patience } from "../wire/exchange";
import { common } from "../wire/messages";
import type { WireItem } from "./wire-item.plan";

/** MAV_MISSION_TYPE. */
export const PlanType = { mission: 0, fence: 1 } as const;
export type PlanType = (typeof PlanType)[keyof typeof PlanType];

const MissionResult = { accepted: 0, error: 1, unsupported: 3, invalidSequence: 13 } as const;
const missionResultName = (result: number): string =>
  `MAV_MISSION_${common.MavMissionResult[result] ?? String(result)}`;

const label = (type: PlanType): string => (type === PlanType.fence ? "fence" : "mission");

/** How many timeouts after the last item; until then the vehicle may still ask for it again. */
const SILENCES_AT_THE_END = 3;

/** How long a refusal waits for the vehicle's explanation. */
const EXPLANATION_MS = 700;

/**
 * MAVLink's mission protocol, for missions and fences alike: plans as wire items, both ways. What they mean,
 * and whether what came back is what was sent, is judged above.
 */
export class PlanTransfer {
  constructor(
    private readonly channel: Channel,
    private readonly vehicle: VehicleIdentity,
    private readonly texts: StatusTexts,
    private readonly patience: Patience,
  ) {}

  /**
   * Sends the items as the vehicle asks for them, by either kind of request and as often as it asks. What the
   * vehicle then holds must be read back whatever comes of this.
   *
   * Returns a doubt, if there is one: a refusal that may be about the last item having come twice, when the
   * acceptance before it was lost. Only reading back can tell.
   */
  async send(items: readonly WireItem[], type: PlanType): Promise<DomainError | undefined> {
    this.channel.assertOpen();
    const record = this.texts.record();
    try {
      return await this.upload(items, type, record);
    } finally {
      record.stop();
    }
  }

  private upload(
    items: readonly WireItem[],
    type: PlanType,
    record: StatusRecord,
  ): Promise<DomainError | undefined> {
    const last = items.length - 1;
    let highest = -1;
    let counted = false;
    let lastSent = 0;
    let busy = false;
    let leave = () => {};
    return converse<DomainError | undefined>(this.channel, this.patience, {
      say: (attempt) => {
        // Everything is sent and nothing comes: reading back tells more than waiting.
        if (highest === last && attempt >= SILENCES_AT_THE_END) leave();
        // Once it has asked, the vehicle itself repeats what it misses; a second count would start it over.
        if (highest < 0) counted = this.channel.send(this.count(items.length, type)) || counted;
      },
      listen: ({ done, fail, progressed }) => {
        leave = () => done(undefined);
        const answer = (request: common.MissionRequest | common.MissionRequestInt) => {
          const item = items[request.seq];
          if (request.missionType !== type || !item) return;
          // A repetition is answered but is no progress, or a vehicle that never hears us holds us forever.
          if (request.seq > highest) progressed();
          highest = Math.max(highest, request.seq);
          const message = build(common.MissionItemInt, { ...this.target, ...item, missionType: type });
          if (this.channel.send(message) && request.seq === last) lastSent += 1;
        };
        const judge = (ack: common.MissionAck) => {
          // ArduPilot says this of an item that comes twice, which happens when requests repeat, and goes on.
          if (ack.missionType !== type || ack.type === MissionResult.invalidSequence) return;
          if (ack.type === MissionResult.accepted) {
            // Before the last item it can only be the end of an earlier transfer.
            if (highest === last) done(undefined);
          } else if (ack.type === MissionResult.error && highest < 0) {
            // PX4 is busy with a transfer that broke off, until it gives that up; so the count is repeated.
            busy = true;
          } else {
            const settle = ack.type === MissionResult.error && lastSent > 1 ? done : fail;
            void this.explain(type, ack.type, record).then(settle);
          }
        };
        return [
          this.channel.on(common.MissionRequest, answer),
          this.channel.on(common.MissionRequestInt, answer),
          this.channel.on(common.MissionAck, judge),
        ];
      },
      cut: (gone) => {
        if (!counted || !isSilence(gone)) return gone;
        if (lastSent > 0) return neverReadBack(type, gone);
        return new DomainError(
          "transfer_failed",
          `The upload of the ${label(type)} broke off after ${highest + 1} of ${items.length} items; what the vehicle holds now may be a mixture. Upload again. ${gone.message}`,
          { cause: gone },
        );
      },
      expired: () => {
        if (highest === last) return undefined;
        if (busy) return refused(type, "take", MissionResult.error, record.reasons);
        // ArduPilot cuts the plan that it holds to the new count.
        if (highest < 0 && counted)
          return outcomeUnknown(
            `The vehicle did not answer the upload of the ${label(type)}: it may hold the one before, whole or in part.`,
          );
        return new DomainError(
          "vehicle_timeout",
          highest < 0
            ? `The upload of the ${label(type)} was not sent.`
            : `The vehicle stopped asking for the ${label(type)} after item ${highest + 1} of ${items.length}; what it holds now may be a mixture. Upload again.`,
        );
      },
    });
  }

  /** Clears the plan; the acknowledgement alone is not proof, count afterwards. */
  async clear(type: PlanType): Promise<void> {
    this.channel.assertOpen();
    let sent = false;
    const record = this.texts.record();
    const clear = build(common.MissionClearAll, { ...this.target, missionType: type });
    try {
      await converse<void>(this.channel, this.patience, {
        say: () => {
          sent = this.channel.send(clear) || sent;
        },
        cut: (gone) => (sent && isSilence(gone) ? neverReadBack(type, gone) : gone),
        listen: ({ done, fail }) => [
          this.channel.on(common.MissionAck, (ack) => {
            if (ack.missionType !== type) return;
            if (ack.type === MissionResult.accepted) done();
            else void this.explain(type, ack.type, record).then(fail);
          }),
        ],
        expired: () => undefined,
      });
    } finally {
      record.stop();
    }
  }

  /** The plan on the vehicle, item by item. */
  async receive(type: PlanType): Promise<WireItem[]> {
    this.channel.assertOpen();
    const count = await this.askCount(type);
    const items: WireItem[] = [];
    for (let seq = 0; seq < count; seq++) items.push(await this.askItem(seq, type));
    // Frees the vehicle's side of the transfer at once instead of by its timeout.
    this.channel.send(
      build(common.MissionAck, { ...this.target, type: MissionResult.accepted, missionType: type }),
    );
    return items;
  }

  private askCount(type: PlanType): Promise<number> {
    const list = build(common.MissionRequestList, { ...this.target, missionType: type });
    return this.ask<number>(
      type,
      "the number of items",
      () => this.channel.send(list),
      (done) => [
        this.channel.on(common.MissionCount, (message) => {
          if (message.missionType === type) done(message.count);
        }),
      ],
    );
  }

  private askItem(seq: number, type: PlanType): Promise<WireItem> {
    const request = build(common.MissionRequestInt, { ...this.target, seq, missionType: type });
    return this.ask<WireItem>(
      type,
      `item ${seq}`,
      () => this.channel.send(request),
      (done) => [
        this.channel.on(common.MissionItemInt, (item) => {
          if (item.missionType === type && item.seq === seq) done(item);
        }),
      ],
    );
  }

  private ask<T>(
    type: PlanType,
    what: string,
    say: () => void,
    listen: (done: (value: T) => void) => (() => void)[],
  ): Promise<T> {
    let refusal: number | undefined;
    return converse<T>(this.channel, this.patience, {
      say,
      listen: ({ done, fail }) => [
        ...listen(done),
        this.channel.on(common.MissionAck, (ack) => {
          // An acceptance here is the late end of the upload before.
          if (ack.missionType !== type || ack.type === MissionResult.accepted) return;
          if (ack.type === MissionResult.unsupported) fail(refused(type, "give back", ack.type, []));
          // Any other may be about an item of the upload that came twice, or pass when that has run out.
          refusal = ack.type;
        }),
      ],
      expired: () =>
        refusal === undefined
          ? new DomainError("vehicle_timeout", `The vehicle did not send ${what} of its ${label(type)}.`)
          : refused(type, "give back", refusal, []),
    });
  }

  private async explain(type: PlanType, result: number, record: StatusRecord): Promise<DomainError> {
    await record.explained(EXPLANATION_MS);
    return refused(type, "take", result, record.reasons);
  }

  private count(count: number, type: PlanType): common.MissionCount {
    return build(common.MissionCount, { ...this.target, count, missionType: type });
  }

  private get target() {
    return { targetSystem: this.vehicle.systemId, targetComponent: this.vehicle.componentId };
  }
}

/** For a plan that was sent to its end, whether it arrived or not. */
export const neverReadBack = (type: PlanType, silence: DomainError): DomainError =>
  outcomeUnknown(
    `The ${label(type)} was sent and could not be read back: the vehicle may hold it, the one before or a mixture. ${silence.message}`,
    silence,
  );

function refused(type: PlanType, verb: string, result: number, reasons: readonly string[]): DomainError {
  const said = reasons.length > 0 ? `: ${reasons.join("; ")}` : "";
  return new DomainError(
    "vehicle_refused",
    `The vehicle refused to ${verb} the ${label(type)} (${missionResultName(result)})${said}`,
  );
}
