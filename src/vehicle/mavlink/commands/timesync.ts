import { randomInt } from "node:crypto";
import { isDomainError } from "../../../domain/errors";
import type { Channel } from "../wire/channel";
import { build } from "../wire/codec";
import { exchange } from "../wire/exchange";
import { common } from "../wire/messages";

/** A radio loses some of what it carries; a request is small and harmless. */
const REQUESTS = 3;

/**
 * Tells whether earlier messages are still on their way.
 *
 * A TIMESYNC request changes nothing, and ArduPilot (since Copter 3.5) and PX4 answer it with the number that it
 * carries. The way to a vehicle keeps its order, so the answer proves that every message sent before the request has
 * arrived or is lost: no message is delayed. Telemetry from the vehicle proves less, since one direction may be delayed
 * alone.
 */
export class TimesyncProbe {
  /** The first of our numbers: broadcast answers to other stations carry theirs. */
  private readonly base = BigInt(randomInt(2 ** 47)) << 15n;
  private requested = 0;
  private answered = 0;

  constructor(
    private readonly channel: Channel,
    /** How long one probe waits for an answer, in all its requests. */
    private readonly timeoutMs: number,
  ) {
    channel.on(common.TimeSync, ({ tc1, ts1 }) => {
      const number = Number(ts1 - this.base);
      if (tc1 !== 0n && number > this.answered && number <= this.requested) this.answered = number;
    });
  }

  /** To be taken when something has been sent, for `hasArrived`. */
  mark(): number {
    return this.requested;
  }

  /** Whether all messages before the mark have arrived or are lost. False, too, when the link is gone. */
  async hasArrived(mark: number): Promise<boolean> {
    if (this.answered > mark) return true;
    try {
      return await exchange<boolean>(
        this.channel,
        { timeoutMs: this.timeoutMs / REQUESTS, attempts: REQUESTS },
        {
          request: () => [this.request()],
          listen: ({ resolve }) => [
            this.channel.on(common.TimeSync, () => {
              if (this.answered > mark) resolve(true);
            }),
          ],
          onTimeout: () => false,
        },
      );
    } catch (error) {
      if (isDomainError(error)) return false;
      throw error;
    }
  }

  private request(): common.TimeSync {
    this.requested += 1;
    return build(common.TimeSync, {
      ...this.channel.target,
      tc1: 0n,
      ts1: this.base + BigInt(this.requested),
    });
  }
}
