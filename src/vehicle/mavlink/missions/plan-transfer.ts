import { DomainError, isDomainError } from "../../../domain/errors";
import { outcomeUnknown } from "../no-response";
import type { StatusRecord, StatusTexts } from "../status-text";
import type { Channel } from "../wire/channel";
import { build } from "../wire/codec";
import { type Exchange, exchange, type Retry } from "../wire/exchange";
import { common } from "../wire/messages";
import type { WireItem } from "./wire-item.plan";

/** MAV_MISSION_TYPE. */
export const PlanType = { mission: 0, fence: 1 } as const;
export type PlanType = (typeof PlanType)[keyof typeof PlanType];

const MissionResult = { accepted: 0, error: 1, unsupported: 3, invalidSequence: 13 } as const;
const missionResultName = (result: number): string =>
  `MAV_MISSION_${common.MavMissionResult[result] ?? String(result)}`;

const label = (type: PlanType): string => (type === PlanType.fence ? "fence" : "mission");

/** How many timeouts after the last item; until then the vehicle may still request it again. */
const TIMEOUTS_AFTER_LAST_ITEM = 3;

/** MISSION_COUNT.opaque_id, PX4's checksum of a plan, is 0 of an empty one and always of ArduPilot's. */
const UNKNOWN_PLAN = 0;

/** PX4 ends a reading after 5 s without a request and ignores the next ones, so the plan is read anew before that. */
const REQUESTS_OF_AN_ITEM = 3;
const READINGS = 3;

/** How long after a refusal the STATUSTEXT that explains it may take. */
const STATUS_TEXT_MS = 700;

/**
 * Items of a plan that are requested at once when it is read: ArduPilot answers each request by itself, and so many hide
 * the round trip and fit into a telemetry radio. PX4 breaks the transfer off when a request is not for the next item,
 * such as when the one before it is lost.
 */
const READS_AT_ONCE = { ardupilot: 5, px4: 1 } as const;

/** What a vehicle says of a plan, and not of its readiness to arm, which it says again and again. */
export const isAboutPlans = (text: string): boolean =>
  /mission|waypoint|fence|vertex|polygon|circle|takeoff|landing|\bitems?\b|\bWPM\b/i.test(text) &&
  !/^(PreArm|Arm|Preflight)/i.test(text);

/**
 * MAVLink's mission protocol, for missions and fences alike: plans as wire items, both ways. Compares nothing: `Plans`
 * judges whether the plan that came back is the plan that was sent.
 */
export class PlanTransfer {
  private readonly lastRead = new Map<PlanType, { readonly opaqueId: number; readonly items: WireItem[] }>();

  constructor(
    private readonly channel: Channel,
    private readonly autopilot: keyof typeof READS_AT_ONCE,
    private readonly texts: StatusTexts,
    private readonly retry: Retry,
  ) {}

  /**
   * Sends the items as the vehicle requests them, by either kind of request and as often as it requests them. The caller
   * reads the plan back whatever this returns.
   *
   * `nameOf` is how a refusal names the item of a number on the wire.
   *
   * Returns a refusal that may be about the last item having come twice, when the acceptance before it was lost. Only
   * reading back can tell.
   */
  async send(
    items: readonly WireItem[],
    type: PlanType,
    nameOf: (seq: number) => string | undefined,
  ): Promise<DomainError | undefined> {
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
          `The upload of the ${label(type)} broke off after ${highest + 1} of ${items.length} items; what the vehicle holds now may be a mixture. Upload again. ${closed.message}`,
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
  async clear(type: PlanType): Promise<void> {
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

  /** The plan on the vehicle, without reading it again where the vehicle says that it is the one that was read last. */
  async onBoard(type: PlanType): Promise<WireItem[]> {
    const counted = await this.count(type);
    const last = this.lastRead.get(type);
    if (!last || last.opaqueId === UNKNOWN_PLAN || last.opaqueId !== counted.opaqueId)
      return this.read(type, counted);
    this.endReading(type);
    return last.items;
  }

  /** The plan on the vehicle. */
  async receive(type: PlanType): Promise<WireItem[]> {
    return this.read(type, await this.count(type));
  }

  /** Item by item; all of them again when one does not come. */
  private async read(type: PlanType, first: common.MissionCount): Promise<WireItem[]> {
    for (let [reading, counted] = [1, first]; ; reading++, counted = await this.count(type)) {
      try {
        return await this.items(type, counted);
      } catch (error) {
        if (reading === READINGS || !isDomainError(error) || error.code === "vehicle_unreachable")
          throw error;
      }
    }
  }

  private count(type: PlanType): Promise<common.MissionCount> {
    const request = build(common.MissionRequestList, { ...this.channel.target, missionType: type });
    return this.ask<common.MissionCount>(this.retry, type, "the number of items", {
      request: () => [request],
      listen: ({ resolve }) => [
        this.channel.on(common.MissionCount, (message) => {
          if (message.missionType === type) resolve(message);
        }),
      ],
    });
  }

  private async items(type: PlanType, { count, opaqueId }: common.MissionCount): Promise<WireItem[]> {
    const items: WireItem[] = [];
    let next = 0;
    const readOneByOne = async () => {
      while (next < count) {
        const seq = next++;
        items[seq] = await this.item(type, seq).catch((error: unknown) => {
          next = count;
          throw error;
        });
      }
    };
    // All end before this does: a request that came later would disturb the next transfer.
    const readers = Array.from({ length: READS_AT_ONCE[this.autopilot] }, readOneByOne);
    for (const ending of await Promise.allSettled(readers)) {
      if (ending.status === "rejected") throw ending.reason;
    }
    this.endReading(type);
    this.lastRead.set(type, { opaqueId, items });
    return items;
  }

  /** Frees the vehicle's side of the transfer at once instead of by its timeout. */
  private endReading(missionType: PlanType): void {
    const { target } = this.channel;
    this.channel.send(build(common.MissionAck, { ...target, missionType, type: MissionResult.accepted }));
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

  private item(type: PlanType, seq: number): Promise<WireItem> {
    const request = build(common.MissionRequestInt, { ...this.channel.target, missionType: type, seq });
    return this.ask<WireItem>({ ...this.retry, attempts: REQUESTS_OF_AN_ITEM }, type, `item ${seq}`, {
      request: () => [request],
      listen: ({ resolve }) => [
        this.channel.on(common.MissionItemInt, (received) => {
          if (received.missionType === type && received.seq === seq) resolve(received);
        }),
      ],
    });
  }

  /** `what` completes "The vehicle did not send …". */
  private ask<T>(
    retry: Retry,
    type: PlanType,
    what: string,
    { request, listen }: Pick<Exchange<T>, "request" | "listen">,
  ): Promise<T> {
    let refusal: number | undefined;
    return exchange<T>(this.channel, retry, {
      request,
      listen: (reply) => [
        ...listen(reply),
        this.channel.on(common.MissionAck, (ack) => {
          // An acceptance here is the late end of the upload before.
          if (ack.missionType !== type || ack.type === MissionResult.accepted) return;
          if (ack.type === MissionResult.unsupported) reply.reject(refused(type, "give back", ack.type, []));
          // Any other may be about an item of the upload that came twice, or pass when that has run out.
          refusal = ack.type;
        }),
      ],
      onTimeout: () =>
        refusal === undefined
          ? new DomainError("vehicle_timeout", `The vehicle did not send ${what} of its ${label(type)}.`)
          : refused(type, "give back", refusal, []),
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

/** For a plan that was sent to its end, whether it arrived or not. */
export const planOutcomeUnknown = (type: PlanType, noResponse: DomainError): DomainError =>
  outcomeUnknown(
    `The ${label(type)} was sent and could not be read back: the vehicle may hold it, the one before or a mixture. ${noResponse.message}`,
    noResponse,
  );

function refused(type: PlanType, verb: string, result: number, reasons: readonly string[]): DomainError {
  return new DomainError(
    "vehicle_refused",
    `The vehicle refused to ${verb} the ${label(type)} (${missionResultName(result)})${explanation(reasons)}`,
  );
}

const explanation = (reasons: readonly string[]): string =>
  reasons.length > 0 ? `: ${reasons.join("; ")}` : "";
