import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../../domain/errors";
import type { Acknowledgement } from "../../link";
import { isSilence, isUnsettled, mayHaveObeyed } from "../no-response";
import type { StatusTexts } from "../status-text";
import type { Channel } from "../wire/channel";
import { build } from "../wire/codec";
import { converse, type Patience, Turns } from "../wire/exchange";
import { common } from "../wire/messages";
import { Echo } from "./timesync";

/** MAV_CMD numbers that orders use. */
export const Command = {
  navReturnToLaunch: 20,
  navLand: 21,
  navTakeoff: 22,
  doSetMode: 176,
  doReposition: 192,
  doMotorTest: 209,
  componentArmDisarm: 400,
  getHomePosition: 410,
  setMessageInterval: 511,
  requestMessage: 512,
} as const;

const MavResult = { accepted: 0, unsupported: 3, inProgress: 5, commandLongOnly: 7 } as const;

/** MAV_RESULT's name, as MAVLink writes it. */
export const resultName = (result: number): string =>
  `MAV_RESULT_${common.MavResult[result] ?? String(result)}`;

export type Params = readonly [number?, number?, number?, number?, number?, number?, number?];

/** An order with a position travels as COMMAND_INT: a float would round degrees to about a metre. */
export interface IntPosition {
  /** MAV_FRAME */
  readonly frame: number;
  /** Degrees × 1e7. */
  readonly latE7: number;
  readonly lngE7: number;
  /** Metres, in the frame. */
  readonly altitude: number;
}

export interface CommandTimings extends Patience {
  /** How long an answer is waited for that shows the way to the vehicle to be clear. */
  readonly echoMs: number;
  /** How long after that answer the acknowledgement may still come. */
  readonly settleMs: number;
  /** How long after IN_PROGRESS the final result may take. */
  readonly progressMs: number;
  /** How long a refusal waits for the vehicle's explanation. */
  readonly explanationMs: number;
}

export interface Outcome extends Acknowledgement {
  readonly code: number;
  /** Sent more than once: a refusal may then be the answer to a repetition of what was already obeyed. */
  readonly repeated: boolean;
  /** The grave lines among `status_text`. */
  readonly reasons: readonly string[];
}

/**
 * How an order is sent that is not acknowledged.
 *
 * `proved`: again, when the vehicle has answered something that was sent after it, so that no copy is held up on the
 * way to arrive together with the next or after all; and while no other order has followed, which it would undo. A
 * vehicle may then have obeyed a copy whose acknowledgement was lost: the order must be one that a second copy leaves
 * as it is, since it names a state or a place and not a step.
 * `once`: never again; for what is done anew by each copy.
 * `freely`: again and again; for questions.
 */
type Copies = "proved" | "once" | "freely";

export interface OrderOptions {
  readonly at?: IntPosition;
  readonly copies?: Exclude<Copies, "freely">;
}

interface Manner {
  readonly copies: Copies;
  readonly explanationMs: number;
  /** What it means that the order was sent and not answered. */
  readonly unanswered: (doing: string, silence: DomainError) => DomainError;
  readonly at?: IntPosition | undefined;
}

/** MAVLink's command protocol towards one vehicle. Acknowledgements name the command, so one of a kind at a time. */
export class Commands {
  private readonly turns = new Turns<number>();
  private readonly echo: Echo;
  private orders = 0;

  constructor(
    private readonly channel: Channel,
    private readonly texts: StatusTexts,
    private readonly timings: CommandTimings,
  ) {
    this.echo = new Echo(channel, timings.echoMs);
  }

  /** Gives the order and demands that it is accepted. `doing` completes "The vehicle refused to …". */
  async order(
    doing: string,
    command: number,
    params: Params,
    options: OrderOptions = {},
  ): Promise<Acknowledgement> {
    return demand(doing, await this.give(doing, command, params, options));
  }

  /**
   * Gives the order and reports what the vehicle made of it. Rejects with `outcome_unknown` when it was sent and no
   * acknowledgement came, and with `vehicle_unreachable` when nothing was sent.
   */
  give(
    doing: string,
    command: number,
    params: Params,
    { at, copies = "proved" }: OrderOptions = {},
  ): Promise<Outcome> {
    const { explanationMs } = this.timings;
    return this.converse(doing, command, params, { copies, explanationMs, unanswered: mayHaveObeyed, at });
  }

  /**
   * Passes on what became of an order, and sees to it that one which ended in silence is not done after its caller was
   * told so: unless the vehicle shows that nothing is held up on the way, the link is closed, and the stream takes back
   * what has not left yet.
   */
  async settle<T>(order: Promise<T>): Promise<T> {
    try {
      return await order;
    } catch (error) {
      if (isUnsettled(error) && !(await this.echo.hasPassed(this.echo.mark())))
        this.channel.close("the vehicle left an order unanswered");
      throw error;
    }
  }

  /** To be called when an order begins; tells whether no other has begun since. */
  precede(): () => boolean {
    const mine = ++this.orders;
    return () => mine === this.orders;
  }

  /** As `give`, for what the link itself wants to know: a refusal's explanation is not waited for, nor silence grave. */
  ask(doing: string, command: number, params: Params): Promise<Outcome> {
    const asIs = (_doing: string, silence: DomainError) => silence;
    return this.converse(doing, command, params, {
      copies: "freely",
      explanationMs: 0,
      unanswered: asIs,
    });
  }

  private converse(doing: string, command: number, params: Params, manner: Manner): Promise<Outcome> {
    const { explanationMs } = manner;
    return this.turns.take(command, async () => {
      this.channel.assertOpen();
      const record = this.texts.record();
      try {
        const { code, copies } = await this.exchange(doing, command, params, manner);
        if (code !== MavResult.accepted && explanationMs > 0) await record.explained(explanationMs);
        return {
          code,
          result: resultName(code),
          status_text: record.texts,
          reasons: record.reasons,
          repeated: copies > 1,
        };
      } finally {
        record.stop();
      }
    });
  }

  /** Asks the vehicle to send a message once (MAV_CMD_REQUEST_MESSAGE); true when it agreed. */
  async requestMessage(messageId: number): Promise<boolean> {
    const outcome = await this.ask("send a message", Command.requestMessage, [messageId]);
    return outcome.code === MavResult.accepted;
  }

  private exchange(doing: string, command: number, params: Params, { copies, unanswered, at }: Manner) {
    let count = 0;
    let mark = 0;
    let sent = false;
    let inProgress = false;
    const isLatest = copies === "freely" ? () => true : this.precede();
    const isClear = async () => {
      if (!(await this.echo.hasPassed(mark)) || copies === "once" || inProgress) return false;
      // PX4 answers at once, and decides on an order in another task.
      await delay(this.timings.settleMs);
      return isLatest();
    };
    return converse<{ code: number; copies: number }>(this.channel, this.timings, {
      listen: ({ done, beSilentFor }) => [
        this.channel.on(common.CommandAck, (ack) => {
          if (ack.command !== command) return;
          inProgress = ack.result === MavResult.inProgress;
          if (inProgress) beSilentFor(this.timings.progressMs);
          else done({ code: ack.result, copies: count });
        }),
      ],
      say: () => {
        const order = at ? this.commandInt(command, params, at) : this.commandLong(command, params, count);
        sent = this.channel.send(order) || sent;
        mark = this.echo.mark();
        count += 1;
      },
      mayRepeat: copies === "freely" ? undefined : isClear,
      cut: (gone) => (sent && isSilence(gone) ? unanswered(doing, gone) : gone),
      expired: () =>
        unanswered(
          doing,
          new DomainError(
            "vehicle_timeout",
            `The vehicle did not acknowledge the order to ${doing} (sent ${count === 1 ? "once" : `${count} times`}).`,
          ),
        ),
    });
  }

  private commandLong(command: number, params: Params, confirmation: number): common.CommandLong {
    const [p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0, p7 = 0] = params;
    return build(common.CommandLong, {
      ...this.target,
      command,
      confirmation,
      _param1: p1,
      _param2: p2,
      _param3: p3,
      _param4: p4,
      _param5: p5,
      _param6: p6,
      _param7: p7,
    });
  }

  private commandInt(command: number, params: Params, at: IntPosition): common.CommandInt {
    const [p1 = 0, p2 = 0, p3 = 0, p4 = 0] = params;
    return build(common.CommandInt, {
      ...this.target,
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

  private get target() {
    return {
      targetSystem: this.channel.vehicle?.systemId ?? 0,
      targetComponent: this.channel.vehicle?.componentId ?? 0,
    };
  }
}

/**
 * The outcome as an acknowledgement, or `vehicle_refused` with the result's name and the vehicle's words.
 * `known`: what we know against the order ourselves, for vehicles that say nothing.
 */
export function demand(doing: string, outcome: Outcome, known: readonly string[] = []): Acknowledgement {
  if (outcome.code !== MavResult.accepted) {
    throw refusal(doing, outcome.result, [...outcome.reasons, ...known]);
  }
  return { result: outcome.result, status_text: outcome.status_text };
}

export function refusal(doing: string, result: string, reasons: readonly string[]): DomainError {
  const said = reasons.length > 0 ? `: ${reasons.join("; ")}` : "";
  return new DomainError("vehicle_refused", `The vehicle refused to ${doing} (${result})${said}`);
}

/** The vehicle does not know this order, or not in this shape: another way may do. */
export const isUnsupported = ({ code }: Outcome): boolean =>
  code === MavResult.unsupported || code === MavResult.commandLongOnly;
