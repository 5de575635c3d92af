import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../../domain/errors";
import { KeyedMutex } from "../../../platform/semaphore";
import type { Acknowledgement } from "../../link";
import { isUnsettled, orderUnanswered } from "../no-response";
import type { StatusTexts } from "../status-text";
import type { Channel } from "../wire/channel";
import { build } from "../wire/codec";
import { exchange, type Retry } from "../wire/exchange";
import { common, type MavLinkData, type MavLinkDataConstructor } from "../wire/messages";
import { TimesyncProbe } from "./timesync";

export const Command = common.MavCmd;

export const MavResult = { accepted: 0, inProgress: 5 } as const;

export type CommandParams = readonly [number?, number?, number?, number?, number?, number?, number?];

/** The parameters of a COMMAND_LONG as its fields; an absent one is 0. */
export function paramFields(params: CommandParams) {
  const [p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0, p7 = 0] = params;
  return { _param1: p1, _param2: p2, _param3: p3, _param4: p4, _param5: p5, _param6: p6, _param7: p7 };
}

/** A command with a position travels as COMMAND_INT: a float would round degrees to about a metre. */
interface IntPosition {
  /** MAV_FRAME */
  readonly frame: number;
  /** Degrees × 1e7. */
  readonly latE7: number;
  readonly lngE7: number;
  /** Metres, in the frame. */
  readonly altitude: number;
}

export interface CommandTimings extends Retry {
  /** How long the answer to a TIMESYNC request may take. */
  readonly timesyncMs: number;
  /** How long after that answer the acknowledgement may still come. */
  readonly settleMs: number;
  /** How long after IN_PROGRESS the final result may take. */
  readonly progressMs: number;
  /** How long after a refusal the STATUSTEXT that explains it may take. */
  readonly statusTextMs: number;
}

export interface CommandOutcome extends Acknowledgement {
  /** As in the order: completes "The vehicle refused to …". */
  readonly action: string;
  readonly code: number;
  /** Sent more than once: a refusal may then answer a repetition of a command that was already obeyed. */
  readonly repeated: boolean;
  /** The warnings among `status_text`. */
  readonly reasons: readonly string[];
}

/**
 * Whether a command that is not acknowledged is sent again.
 *
 * `when_arrived`: when the vehicle has answered a TIMESYNC request that was sent after it, so that no copy is delayed on
 * the way to arrive together with the next; and while no other order has followed, which it would undo. A vehicle may
 * then have obeyed a copy whose acknowledgement was lost: the command must name a state or a position and not a step, so
 * that a second copy changes nothing.
 * `never`: for commands that each copy would carry out anew.
 * `always`: for questions of the link itself, which change nothing: a refusal's explanation is not waited for, and a
 * command without an answer is a plain `vehicle_timeout`.
 */
type Repeat = "when_arrived" | "never" | "always";

interface CommandOptions {
  readonly at?: IntPosition;
  readonly repeat?: Repeat;
}

/** MAVLink's command protocol towards one vehicle. Acknowledgements name the command, so one of a kind at a time. */
export class Commands {
  private readonly mutex = new KeyedMutex<number>();
  private readonly timesync: TimesyncProbe;
  private orders = 0;

  constructor(
    private readonly channel: Channel,
    private readonly texts: StatusTexts,
    private readonly timings: CommandTimings,
  ) {
    this.timesync = new TimesyncProbe(channel, timings.timesyncMs);
  }

  /**
   * Sends the command and returns the vehicle's answer. Rejects with `outcome_unknown` when it was sent and not
   * acknowledged, and with `vehicle_unreachable` when nothing was sent. `action` completes "The vehicle refused to …".
   */
  async send(
    action: string,
    command: number,
    params: CommandParams,
    { at, repeat = "when_arrived" }: CommandOptions = {},
  ): Promise<CommandOutcome> {
    const release = await this.mutex.acquire(command);
    const record = this.texts.record();
    const isOrder = repeat !== "always";
    const isLatest = isOrder ? this.startOrder() : () => true;
    const unanswered = (noResponse: DomainError) =>
      isOrder ? orderUnanswered(action, noResponse) : noResponse;
    let count = 0;
    let mark = 0;
    let inProgress = false;
    const mayRepeat = async () => {
      if (!isOrder) return true;
      if (!(await this.timesync.hasArrived(mark)) || repeat === "never" || inProgress) return false;
      // PX4 answers at once, and decides on a command in another task.
      await delay(this.timings.settleMs);
      return isLatest();
    };
    try {
      const code = await exchange<number>(this.channel, this.timings, {
        request: () => {
          mark = this.timesync.mark();
          count += 1;
          return [at ? this.commandInt(command, params, at) : this.commandLong(command, params, count - 1)];
        },
        listen: ({ resolve, pauseFor }) => [
          this.channel.on(common.CommandAck, (ack) => {
            if (ack.command !== command) return;
            inProgress = ack.result === MavResult.inProgress;
            if (inProgress) pauseFor(this.timings.progressMs);
            else resolve(ack.result);
          }),
        ],
        mayRepeat,
        onClosed: (closed, sent) => (sent ? unanswered(closed) : closed),
        onTimeout: () =>
          unanswered(
            new DomainError(
              "vehicle_timeout",
              `The vehicle did not acknowledge the order to ${action} (sent ${count === 1 ? "once" : `${count} times`}).`,
            ),
          ),
      });
      if (code !== MavResult.accepted && isOrder) await record.explained(this.timings.statusTextMs);
      return {
        action,
        code,
        result: `MAV_RESULT_${common.MavResult[code] ?? String(code)}`,
        status_text: record.texts,
        reasons: record.reasons,
        repeated: count > 1,
      };
    } finally {
      record.stop();
      release();
    }
  }

  /**
   * Passes on the outcome of an order, and makes sure that an unanswered order is not carried out after its caller
   * got the error: unless the vehicle proves that no message is delayed on the way, the link is closed, and the stream takes
   * back the bytes that have not left yet.
   */
  async closeIfUnsettled<T>(order: Promise<T>): Promise<T> {
    try {
      return await order;
    } catch (error) {
      if (isUnsettled(error) && !(await this.timesync.hasArrived(this.timesync.mark())))
        this.channel.close("the vehicle left an order unanswered");
      throw error;
    }
  }

  /** To be called when an order begins; returns whether no other has begun since. */
  startOrder(): () => boolean {
    const mine = ++this.orders;
    return () => mine === this.orders;
  }

  /** Asks the vehicle to send a message once (MAV_CMD_REQUEST_MESSAGE); true when it agreed. */
  async requestMessage(messageId: number): Promise<boolean> {
    const { code } = await this.send("send a message", Command.REQUEST_MESSAGE, [messageId], {
      repeat: "always",
    });
    return code === MavResult.accepted;
  }

  /** Requests a message and returns it; undefined when the vehicle refuses or sends none in time. */
  async fetch<T extends MavLinkData>(
    kind: MavLinkDataConstructor<T>,
    withinMs: number,
  ): Promise<T | undefined> {
    let message: T | undefined;
    const next = this.channel.next(kind, withinMs).then((received) => {
      message = received;
    });
    if (await this.requestMessage(kind.MSG_ID)) await next;
    return message;
  }

  private commandLong(command: number, params: CommandParams, confirmation: number): common.CommandLong {
    const fields = { ...this.channel.target, command, confirmation, ...paramFields(params) };
    return build(common.CommandLong, fields);
  }

  private commandInt(command: number, params: CommandParams, at: IntPosition): common.CommandInt {
    const [p1 = 0, p2 = 0, p3 = 0, p4 = 0] = params;
    return build(common.CommandInt, {
      ...this.channel.target,
      frame: at.frame,
      command,
      _param1: p1,
      _param2: p2,
      _param3: p3,
      _param4: p4,
      _param5: at.latE7,
      _param6: at.lngE7,
      _param7: at.altitude,
    });
  }
}

/**
 * The acknowledgement of an accepted command. Rejects with `vehicle_refused`, which carries the result's name and the
 * vehicle's STATUSTEXT.
 */
export async function accepted(sending: Promise<CommandOutcome> | CommandOutcome): Promise<Acknowledgement> {
  const { action, code, result, status_text, reasons } = await sending;
  if (code !== MavResult.accepted) throw refusal(action, result, reasons);
  return { result, status_text };
}

export function refusal(action: string, result: string, reasons: readonly string[]): DomainError {
  const explanation = reasons.length > 0 ? `: ${reasons.join("; ")}` : "";
  return new DomainError("vehicle_refused", `The vehicle refused to ${action} (${result})${explanation}`);
}
