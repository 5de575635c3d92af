import { randomInt } from "node:crypto";
import { isDomainError } from "../../../domain/errors";
import type { Channel } from "../wire/channel";
import { build } from "../wire/codec";
import { converse } from "../wire/exchange";
import { common } from "../wire/messages";

/** A radio loses some of what it carries; a request is small and harmless. */
const REQUESTS = 3;

/**
 * Whether what was sent is still on its way.
 *
 * A TIMESYNC request changes nothing, and ArduPilot (since Copter 3.5) and PX4 answer it with the number that it
 * carries. The way to a vehicle keeps its order, so the answer proves that whatever was sent before the request has
 * arrived or is lost: nothing of it is held up and can still come. That the vehicle is heard proves less, since
 * one direction may be held up alone.
 */
export class Echo {
  /** Where our numbers begin: broadcast answers to other stations carry theirs. */
  private readonly base = BigInt(randomInt(2 ** 47)) << 15n;
  private asked = 0;
  private answered = 0;

  constructor(
    private readonly channel: Channel,
    /** How long one call waits for an answer, in all its requests. */
    private readonly withinMs: number,
  ) {
    channel.on(common.TimeSync, ({ tc1, ts1 }) => {
      const number = Number(ts1 - this.base);
      if (tc1 !== 0n && number > this.answered && number <= this.asked) this.answered = number;
    });
  }

  /** To be taken when something has been sent; `hasPassed` then tells of it. */
  mark(): number {
    return this.asked;
  }

  /** Whether all that was sent before the mark has arrived or is lost. False, too, when the link is gone. */
  async hasPassed(mark: number): Promise<boolean> {
    if (this.answered > mark) return true;
    try {
      return await converse<boolean>(
        this.channel,
        { timeoutMs: this.withinMs / REQUESTS, attempts: REQUESTS },
        {
          say: () => this.request(),
          listen: ({ done }) => [
            this.channel.on(common.TimeSync, () => {
              if (this.answered > mark) done(true);
            }),
          ],
          expired: () => false,
        },
      );
    } catch (error) {
      if (isDomainError(error)) return false;
      throw error;
    }
  }

  private request(): void {
    this.asked += 1;
    this.channel.send(
      build(common.TimeSync, {
        tc1: 0n,
        ts1: this.base + BigInt(this.asked),
        targetSystem: this.channel.vehicle?.systemId ?? 0,
        targetComponent: this.channel.vehicle?.componentId ?? 0,
      }),
    );
  }
}
