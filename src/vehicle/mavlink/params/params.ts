import { DomainError } from "../../../domain/errors";
import type { Param, VehicleIdentity } from "../../link";
import { isSilence, outcomeUnknown } from "../no-response";
import type { Channel } from "../wire/channel";
import { build } from "../wire/codec";
import { converse, type Patience, Turns } from "../wire/exchange";
import type { Frame } from "../wire/frame";
import { common, ParamError, ParamErrorCode } from "../wire/messages";
import { assertParamFits, readParamValue, writeParamValue } from "./param-value";

/** PARAM_VALUE of a single read or write carries this index. */
const NO_INDEX = 0xffff;
/** Parameters asked for at once: enough to hide the round trip, little enough for a telemetry radio. */
const READS_AT_ONCE = 5;
/** Missing parameters of a list asked for at once. */
const GAPS_AT_ONCE = 20;
/** PX4 keeps the file's checksum among the parameters. */
const PX4_HASH = "_HASH_CHECK";

interface TypedParam extends Param {
  readonly type: number;
}

const errorNames = new Map<number, string>(
  Object.entries(ParamErrorCode).map(([name, code]) => [
    code,
    `MAV_PARAM_ERROR_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
  ]),
);

/** MAVLink's parameter protocol towards one vehicle. */
export class Params {
  private readonly turns = new Turns<string>();
  private pulling: Promise<{ received: number; total: number }> | undefined;

  constructor(
    private readonly channel: Channel,
    private readonly vehicle: VehicleIdentity,
    private readonly patience: Patience,
  ) {}

  async read(names: readonly string[]): Promise<Param[]> {
    for (const name of names) assertName(name);
    const found: Param[] = [];
    for (let at = 0; at < names.length; at += READS_AT_ONCE) {
      const batch = await Promise.all(names.slice(at, at + READS_AT_ONCE).map((name) => this.readOne(name)));
      found.push(...batch.map(({ param_id, value }) => ({ param_id, value })));
    }
    return found;
  }

  /** Reads the type first, writes, and believes only the vehicle's own word of the new value. */
  async write(name: string, value: number): Promise<Param> {
    assertName(name);
    return this.turns.take(name, async () => {
      const { type } = await this.ask(name);
      assertParamFits(name, value, type);
      const set = build(common.ParamSet, { ...this.target, paramId: name, paramType: type });
      let sent = false;
      const send = () => {
        const encode = (payload: Buffer) => writeParamValue(payload, value, type, this.vehicle.autopilot);
        sent = this.channel.send(set, encode) || sent;
      };
      // A PARAM_VALUE with another value may answer somebody else's read; then the vehicle is asked.
      const isKept = (param: TypedParam) => sameValue(param.value, value);
      const now = await this.exchange(name, send, isKept, () => undefined)
        .then((kept) => kept ?? this.ask(name))
        .catch((error: unknown) => {
          if (!sent || !isSilence(error)) throw error;
          throw outcomeUnknown(
            `${name} was sent as ${value} and not read back, so it may have been set or not. ${error.message}`,
            error,
          );
        });
      if (!sameValue(now.value, value)) {
        throw new DomainError("vehicle_refused", `The vehicle kept ${name} at ${now.value}.`);
      }
      return { param_id: now.param_id, value: now.value };
    });
  }

  /** The whole list, its gaps asked for again until they are filled or nothing more comes. */
  pull(): Promise<{ received: number; total: number }> {
    this.pulling ??= this.pullAll().finally(() => {
      this.pulling = undefined;
    });
    return this.pulling;
  }

  private readOne(name: string): Promise<TypedParam> {
    return this.turns.take(name, () => this.ask(name));
  }

  private async ask(name: string): Promise<TypedParam> {
    const request = build(common.ParamRequestRead, { ...this.target, paramId: name, paramIndex: -1 });
    return this.exchange<TypedParam>(
      name,
      () => this.channel.send(request),
      () => true,
      () =>
        new DomainError(
          "vehicle_timeout",
          `The vehicle did not answer for the parameter ${name}; it may have none of that name.`,
        ),
    ) as Promise<TypedParam>;
  }

  private exchange<T extends TypedParam | undefined>(
    name: string,
    say: () => void,
    match: (param: TypedParam) => boolean,
    expired: () => T | Error,
  ): Promise<TypedParam | T> {
    this.channel.assertOpen();
    return converse<TypedParam | T>(this.channel, this.patience, {
      say,
      expired,
      listen: ({ done, fail }) => [
        this.channel.on(common.ParamValue, (message, frame) => {
          const param = this.toParam(message, frame);
          if (param.param_id === name && match(param)) done(param);
        }),
        this.channel.on(ParamError, ({ paramId, error }) => {
          if (paramId !== name) return;
          const reason = errorNames.get(error) ?? `MAV_PARAM_ERROR ${error}`;
          fail(new DomainError("vehicle_refused", `The vehicle refused the parameter ${name} (${reason}).`));
        }),
      ],
    });
  }

  private async pullAll(): Promise<{ received: number; total: number }> {
    this.channel.assertOpen();
    const seen = new Set<number>();
    let total = 0;
    const stop = this.channel.on(common.ParamValue, ({ paramIndex, paramCount, paramId }) => {
      if (paramIndex === NO_INDEX || paramId === PX4_HASH) return;
      total = paramCount;
      seen.add(paramIndex);
    });
    try {
      const list = build(common.ParamRequestList, this.target);
      await this.untilQuiet(
        () => this.channel.send(list),
        () => total > 0 && seen.size >= total,
      );
      let fruitless = 0;
      while (seen.size < total && fruitless < this.patience.attempts) {
        const before = seen.size;
        const gaps = missingIndexes(seen, total).slice(0, GAPS_AT_ONCE);
        await this.untilQuiet(
          () => {
            for (const paramIndex of gaps) {
              this.channel.send(build(common.ParamRequestRead, { ...this.target, paramIndex }));
            }
          },
          () => gaps.every((index) => seen.has(index)),
        );
        fruitless = seen.size > before ? 0 : fruitless + 1;
      }
    } finally {
      stop();
    }
    if (total === 0) throw new DomainError("vehicle_timeout", "The vehicle sent no parameters.");
    return { received: seen.size, total };
  }

  /** Says it, and returns when everything is there or no parameter has come for a while. */
  private untilQuiet(say: () => void, complete: () => boolean): Promise<void> {
    let heard = false;
    return converse<void>(this.channel, this.patience, {
      // The list is long: it is asked for again only when nothing of it has come.
      say: () => {
        if (!heard) say();
      },
      expired: () => undefined,
      listen: ({ done, progressed }) => [
        this.channel.on(common.ParamValue, ({ paramIndex }) => {
          if (paramIndex === NO_INDEX) return;
          heard = true;
          if (complete()) done();
          else progressed();
        }),
      ],
    });
  }

  private toParam({ paramId, paramType }: common.ParamValue, frame: Frame): TypedParam {
    return {
      param_id: paramId,
      type: paramType,
      value: readParamValue(frame.payload, paramType, this.vehicle.autopilot),
    };
  }

  private get target() {
    return { targetSystem: this.vehicle.systemId, targetComponent: this.vehicle.componentId };
  }
}

function assertName(name: string): void {
  if (!/^[A-Za-z0-9_]{1,16}$/.test(name)) {
    throw new DomainError("invalid_input", `"${name}" is no parameter name: 1 to 16 letters, digits and _.`);
  }
}

const sameValue = (kept: number, wanted: number): boolean =>
  kept === wanted || Math.fround(kept) === Math.fround(wanted);

function missingIndexes(seen: ReadonlySet<number>, total: number): number[] {
  const missing: number[] = [];
  for (let index = 0; index < total; index++) if (!seen.has(index)) missing.push(index);
  return missing;
}
