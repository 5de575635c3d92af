import { DomainError } from "../../../domain/errors";
import { KeyedMutex } from "../../../platform/semaphore";
import type { Calls } from "../../calls";
import type { Param, VehicleIdentity } from "../../link";
import { isNoResponse, outcomeUnknown } from "../no-response";
import type { Channel } from "../wire/channel";
import { build } from "../wire/codec";
import { type Exchange, exchange, type Retry } from "../wire/exchange";
import type { Frame } from "../wire/frame";
import { common, type MavLinkData, ParamError, ParamErrorCode } from "../wire/messages";
import { assertParamFits, readParamValue, writeParamValue } from "./param-value";

/** PARAM_VALUE of a single read or write carries this index. */
const NO_INDEX = 0xffff;
/** Parameters requested at once: enough to hide the round trip, little enough for a telemetry radio. */
const READS_AT_ONCE = 5;
/** Missing parameters of a list requested at once. */
const GAPS_AT_ONCE = 20;
/** PX4 keeps the file's checksum among the parameters. */
const PX4_HASH = "_HASH_CHECK";

/** Of the list while it is read. */
interface Progress {
  readonly received: number;
  readonly total: number;
}

interface TypedParam extends Param {
  readonly type: number;
}

type PulledParams = Awaited<ReturnType<Calls["pullParams"]>>;

/** MAVLink's parameter protocol towards one vehicle. */
export class Params implements Pick<Calls, "readParams" | "writeParam" | "pullParams"> {
  private readonly mutex = new KeyedMutex<string>();
  private pulling: Promise<PulledParams> | undefined;
  private readonly listeners = new Set<(progress: Progress) => void>();

  constructor(
    private readonly channel: Channel,
    private readonly vehicle: VehicleIdentity,
    private readonly retry: Retry,
  ) {}

  async readParams(names: readonly string[]): Promise<Param[]> {
    for (const name of names) assertName(name);
    const found: Param[] = [];
    for (let at = 0; at < names.length; at += READS_AT_ONCE) {
      const batch = names.slice(at, at + READS_AT_ONCE);
      const params = await Promise.all(batch.map((name) => this.mutex.run(name, () => this.read(name))));
      found.push(...params.map(({ param_id, value }) => ({ param_id, value })));
    }
    return found;
  }

  /** Reads the type first, writes, and returns the value that the vehicle then reports. */
  async writeParam(name: string, value: number): Promise<Param> {
    assertName(name);
    return this.mutex.run(name, async () => {
      const { type } = await this.read(name);
      assertParamFits(name, value, type);
      const set = build(common.ParamSet, { ...this.channel.target, paramId: name, paramType: type });
      const unknown = (noResponse: DomainError) =>
        outcomeUnknown(
          `${name} was sent as ${value} and not read back, so it may have been set or not. ${noResponse.message}`,
          noResponse,
        );
      const reported = await this.exchange<TypedParam | undefined>(name, {
        request: () => [set],
        patch: (payload) => writeParamValue(payload, value, type, this.vehicle.autopilot),
        // A PARAM_VALUE with another value may answer another station's read; then the vehicle is asked.
        match: (param) => sameValue(param.value, value),
        onTimeout: () => undefined,
        onClosed: (closed, sent) => (sent ? unknown(closed) : closed),
      });
      const kept =
        reported ??
        (await this.read(name).catch((error: unknown) => {
          throw isNoResponse(error) ? unknown(error) : error;
        }));
      if (!sameValue(kept.value, value)) {
        throw new DomainError("vehicle_refused", `The vehicle kept ${name} at ${kept.value}.`);
      }
      return { param_id: kept.param_id, value: kept.value };
    });
  }

  /** Requests the whole list, then its gaps until they are filled or no more parameters come. */
  pullParams(): Promise<PulledParams> {
    this.pulling ??= this.pull().finally(() => {
      this.pulling = undefined;
    });
    return this.pulling;
  }

  /** Calls the listener for each parameter of a list that comes. Returns the function that ends it. */
  onProgress(listener: (progress: Progress) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private read(name: string): Promise<TypedParam> {
    const request = build(common.ParamRequestRead, {
      ...this.channel.target,
      paramId: name,
      paramIndex: -1,
    });
    return this.exchange<TypedParam>(name, {
      request: () => [request],
      match: () => true,
      onTimeout: () =>
        new DomainError(
          "vehicle_timeout",
          `The vehicle did not answer for the parameter ${name}; it may have none of that name.`,
        ),
    });
  }

  private exchange<T extends TypedParam | undefined>(
    name: string,
    {
      match,
      ...request
    }: Omit<Exchange<TypedParam | T>, "listen"> & { match: (param: TypedParam) => boolean },
  ): Promise<TypedParam | T> {
    return exchange<TypedParam | T>(this.channel, this.retry, {
      ...request,
      listen: ({ resolve, reject }) => [
        this.channel.on(common.ParamValue, (message, frame) => {
          const param = this.toParam(message, frame);
          if (param.param_id === name && match(param)) resolve(param);
        }),
        this.channel.on(ParamError, ({ paramId, error }) => {
          if (paramId !== name) return;
          const reason = `MAV_PARAM_ERROR_${ParamErrorCode[error] ?? error}`;
          reject(
            new DomainError("vehicle_refused", `The vehicle refused the parameter ${name} (${reason}).`),
          );
        }),
      ],
    });
  }

  private async pull(): Promise<PulledParams> {
    const seen = new Map<number, Param>();
    let total = 0;
    const stop = this.channel.on(common.ParamValue, (message, frame) => {
      const { paramIndex, paramCount, paramId } = message;
      if (paramIndex === NO_INDEX || paramId === PX4_HASH) return;
      total = paramCount;
      const { param_id, value } = this.toParam(message, frame);
      seen.set(paramIndex, { param_id, value });
      for (const listener of this.listeners) listener({ received: seen.size, total });
    });
    try {
      const list = build(common.ParamRequestList, this.channel.target);
      await this.untilQuiet([list], () => total > 0 && seen.size >= total);
      let fruitless = 0;
      while (seen.size < total && fruitless < this.retry.attempts) {
        const before = seen.size;
        const gaps = missingIndexes(seen, total).slice(0, GAPS_AT_ONCE);
        const requests = gaps.map((paramIndex) =>
          build(common.ParamRequestRead, { ...this.channel.target, paramIndex }),
        );
        await this.untilQuiet(requests, () => gaps.every((index) => seen.has(index)));
        fruitless = seen.size > before ? 0 : fruitless + 1;
      }
    } finally {
      stop();
    }
    if (total === 0) throw new DomainError("vehicle_timeout", "The vehicle sent no parameters.");
    const params = [...seen].sort(([a], [b]) => a - b).map(([, param]) => param);
    return { params, total };
  }

  /** Sends the requests, and returns when everything is there or no parameter has come for a while. */
  private untilQuiet(requests: readonly MavLinkData[], isComplete: () => boolean): Promise<void> {
    let answered = false;
    return exchange<void>(this.channel, this.retry, {
      // The list is long: it is requested again only when nothing of it has come.
      request: () => (answered ? [] : requests),
      onTimeout: () => undefined,
      listen: ({ resolve, progress }) => [
        this.channel.on(common.ParamValue, ({ paramIndex }) => {
          if (paramIndex === NO_INDEX) return;
          answered = true;
          if (isComplete()) resolve();
          else progress();
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
}

function assertName(name: string): void {
  if (!/^[A-Za-z0-9_]{1,16}$/.test(name)) {
    throw new DomainError("invalid_input", `"${name}" is no parameter name: 1 to 16 letters, digits and _.`);
  }
}

const sameValue = (kept: number, wanted: number): boolean =>
  kept === wanted || Math.fround(kept) === Math.fround(wanted);

function missingIndexes(seen: ReadonlyMap<number, unknown>, total: number): number[] {
  const missing: number[] = [];
  for (let index = 0; index < total; index++) if (!seen.has(index)) missing.push(index);
  return missing;
}
