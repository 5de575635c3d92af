import { DomainError } from "../../../domain/errors";
import { outcomeUnknown } from "../no-response";
import type { StatusRecord, StatusTexts } from "../status-text";
import type { Channel } from "../wire/channel";
import { build } from "../wire/codec";
import { exchange, type Retry } from "../wire/exchange";
import { common } from "../wire/messages";
import type { PlanKind } from "./plan-kind";
import {
  explanation,
  isAboutPlans,
  label,
  MissionResult,
  missionResultName,
  PlanType,
  planOutcomeUnknown,
  refused,
} from "./plan-protocol";
import type { PlanReader } from "./plan-reader";
import type { WireItem } from "./wire-item.plan";

/** How many timeouts after the last item; until then the vehicle may still request it again. */
const TIMEOUTS_AFTER_LAST_ITEM = 3;

/** How long after a refusal the STATUSTEXT that explains it may take. */
const STATUS_TEXT_MS = 700;

/**
 * The sending half of MAVLink's mission protocol, for missions and fences alike. Compares nothing: `Plans` judges whether
 * the plan that `reader` returns is the plan that was sent.
 */
export class PlanTransfer {
  constructor(
    private readonly channel: Channel,
    readonly reader: PlanReader,
    private readonly texts: StatusTexts,
    private readonly retry: Retry,
  ) {}

  /**
   * Sends the items as the vehicle requests them, by either kind of request and as often as it requests them. A plan
   * without items of its own is cleared. The caller reads the plan back whatever this returns.
   *
   * `nameOf` is how a refusal names the item of a number on the wire.
   *
   * Returns a refusal that may be about the last item having come twice, when the acceptance before it was lost. Only
   * reading back can tell.
   */
  async send(
    items: readonly WireItem[],
    { type, ownItems }: PlanKind,
    nameOf: (seq: number) => string | undefined = () => undefined,
  ): Promise<DomainError | undefined> {
    if (items.length <= ownItems) {
      await this.clear(type);
      return undefined;
    }
    const record = this.texts.record(isAboutPlans);
    const last = items.length - 1;
    let highest = -1;
    let lastSent = 0;
    let busy = false;
    let finish = () => {};
    const count = build(common.MissionCount, {
      ...this.channel.target,
      count: items.length,
      missionType: type,
    });
    const sending = exchange<DomainError | undefined>(this.channel, this.retry, {
      request: (attempt) => {
        // Everything is sent and no answer comes: reading back gives more than waiting.
        if (highest === last && attempt >= TIMEOUTS_AFTER_LAST_ITEM) finish();
        // After its first request, the vehicle itself repeats the requests; a second count would start it over.
        return highest < 0 ? [count] : [];
      },
      listen: ({ resolve, reject, progress, pauseFor }) => {
        finish = () => resolve(undefined);
        const answer = (request: common.MissionRequest | common.MissionRequestInt) => {
          const item = items[request.seq];
          if (request.missionType !== type || !item) return;
          // A repetition is answered but is no progress, or a vehicle that never receives us holds us forever.
          if (request.seq > highest) progress();
          highest = Math.max(highest, request.seq);
          const message = build(common.MissionItemInt, {
            ...item,
            // An item that came from the vehicle is addressed to us.
            ...this.channel.target,
            missionType: type,
          });
          if (this.channel.send(message) && request.seq === last) lastSent += 1;
        };
        const judge = (ack: common.MissionAck) => {
          // ArduPilot says this of an item that comes twice, which happens when requests repeat, and goes on.
          if (ack.missionType !== type || ack.type === MissionResult.invalidSequence) return;
          if (ack.type === MissionResult.accepted) {
            // Before the last item it can only be the end of an earlier transfer.
            if (highest === last) resolve(undefined);
          } else if (ack.type === MissionResult.error && highest < 0) {
            // PX4 is busy with a transfer that broke off, until that times out; so the count is repeated.
            busy = true;
          } else {
            const settle = ack.type === MissionResult.error && lastSent > 1 ? resolve : reject;
            // A fence is judged as a whole when its last item is there.
            const isWhole = type === PlanType.fence && ack.type === MissionResult.error && highest === last;
            const name = isWhole || highest < 0 ? undefined : nameOf(highest);
            // The refusal stands while its explanation is waited for.
            pauseFor(2 * STATUS_TEXT_MS);
            void this.explain(type, ack.type, record, name).then(settle);
          }
        };
        return [
          this.channel.on(common.MissionRequest, answer),
          this.channel.on(common.MissionRequestInt, answer),
          this.channel.on(common.MissionAck, judge),
        ];
      },
      onClosed: (closed, sent) => {
        if (!sent) return closed;
        if (lastSent > 0) return planOutcomeUnknown(type, closed);
        return new DomainError(
          "transfer_failed",
          `The upload of the ${label(type)} broke off after ${highest + 1} of ${items.length} items; the vehicle may now hold a mixture. Upload again. ${closed.message}`,
          { cause: closed },
        );
      },
      onTimeout: (sent) => {
        if (highest === last) return undefined;
        if (busy) return refused(type, "take", MissionResult.error, record.reasons);
        // ArduPilot cuts the plan that it holds to the new count.
        if (highest < 0 && sent)
          return outcomeUnknown(
            `The vehicle did not answer the upload of the ${label(type)}: it may hold the one before, whole or in part.`,
          );
        return new DomainError(
          "vehicle_timeout",
          highest < 0
            ? `The upload of the ${label(type)} was not sent.`
            : `The vehicle stopped asking for the ${label(type)} after item ${highest + 1} of ${items.length}`,
        );
      },
    });
    return sending.finally(() => record.stop());
  }

  /** Clears the plan; the acknowledgement alone is not proof, count afterwards. */
  private async clear(type: PlanType): Promise<void> {
    const record = this.texts.record(isAboutPlans);
    const clear = build(common.MissionClearAll, { ...this.channel.target, missionType: type });
    const clearing = exchange<void>(this.channel, this.retry, {
      request: () => [clear],
      listen: ({ resolve, reject }) => [
        this.channel.on(common.MissionAck, (ack) => {
          if (ack.missionType !== type) return;
          if (ack.type === MissionResult.accepted) resolve();
          else void this.explain(type, ack.type, record).then(reject);
        }),
      ],
      onClosed: (closed, sent) => (sent ? planOutcomeUnknown(type, closed) : closed),
      onTimeout: () => undefined,
    });
    return clearing.finally(() => record.stop());
  }

  /**
   * Makes an item the one that the mission begins with or goes on with, and waits for the vehicle to report it as such
   * (MISSION_CURRENT). Rejects with `transfer_failed` when it does not.
   */
  setCurrent(seq: number): Promise<void> {
    let reported: number | undefined;
    return exchange<void>(this.channel, this.retry, {
      request: () => [build(common.MissionSetCurrent, { ...this.channel.target, seq })],
      listen: ({ resolve }) => [
        this.channel.on(common.MissionCurrent, (current) => {
          reported = current.seq;
          if (reported === seq) resolve();
        }),
      ],
      onTimeout: () =>
        new DomainError(
          "transfer_failed",
          reported === undefined
            ? "the vehicle does not say with which item of the mission it would begin"
            : `the vehicle would begin with item ${reported + 1} of the mission, not with item ${seq + 1}`,
        ),
    });
  }

  private async explain(
    type: PlanType,
    result: number,
    record: StatusRecord,
    name?: string,
  ): Promise<DomainError> {
    await record.explained(STATUS_TEXT_MS);
    if (name === undefined) return refused(type, "take", result, record.reasons);
    return new DomainError(
      "vehicle_refused",
      `The ${label(type)} was refused: ${name} (${missionResultName(result)})${explanation(record.reasons)}`,
    );
  }
}
