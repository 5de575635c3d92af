import { DomainError, isDomainError } from "../../../domain/errors";
import type { Channel } from "../wire/channel";
import { build } from "../wire/codec";
import { type Exchange, exchange, type Retry } from "../wire/exchange";
import { common } from "../wire/messages";
import { label, MissionResult, type PlanType, refused } from "./plan-protocol";
import type { WireItem } from "./wire-item.plan";

/** MISSION_COUNT.opaque_id, PX4's checksum of a plan, is 0 of an empty one and always of ArduPilot's. */
const UNKNOWN_PLAN = 0;

/** PX4 ends a reading after 5 s without a request and ignores the next ones, so the plan is read anew before that. */
const REQUESTS_OF_AN_ITEM = 3;
const READINGS = 3;

/**
 * Items of a plan that are requested at once when it is read: ArduPilot answers each request by itself, and so many hide
 * the round trip and fit into a telemetry radio. PX4 breaks the transfer off when a request is not for the next item,
 * such as when the one before it is lost.
 */
const READS_AT_ONCE = { ardupilot: 5, px4: 1 } as const;

/** The reading half of MAVLink's mission protocol, for missions and fences alike. */
export class PlanReader {
  private readonly lastRead = new Map<PlanType, { readonly opaqueId: number; readonly items: WireItem[] }>();

  constructor(
    private readonly channel: Channel,
    private readonly autopilot: keyof typeof READS_AT_ONCE,
    private readonly retry: Retry,
  ) {}

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
    const readItems = async () => {
      while (next < count) {
        const seq = next++;
        items[seq] = await this.item(type, seq).catch((error: unknown) => {
          next = count;
          throw error;
        });
      }
    };
    // All end before this does: a request that came later would disturb the next transfer.
    const readers = Array.from({ length: READS_AT_ONCE[this.autopilot] }, readItems);
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
}
