import { PARAM_LIMITS } from "../../vehicle/mavlink/params/param-value";
import { common } from "../../vehicle/mavlink/wire/messages";

export const ParamType = common.MavParamType;
export type ParamType = common.MavParamType;

export interface ParamDefinition {
  readonly name: string;
  readonly type: ParamType;
  readonly value: number;
}

export interface StoredParam extends ParamDefinition {
  readonly index: number;
  value: number;
}

const LETTER: Readonly<Record<string, ParamType>> = {
  b: ParamType.INT8,
  h: ParamType.INT16,
  i: ParamType.INT32,
  f: ParamType.REAL32,
};

/** Rows of `NAME type value`, the type one of b (int8), h (int16), i (int32), f (float). */
export function defineParams(rows: string): ParamDefinition[] {
  return rows
    .trim()
    .split(/\s*[\n;]\s*/)
    .map((row) => {
      const [name, letter, value] = row.split(/\s+/);
      const type = LETTER[letter ?? ""];
      if (!name || !type || value === undefined || Number.isNaN(Number(value)))
        throw new Error(`Bad parameter: ${row}`);
      return { name, type, value: Number(value) };
    });
}

/** The same rows for each number from `first` to `last`, with `#` standing for it. */
export function defineEach(first: number, last: number, rows: string): ParamDefinition[] {
  const numbers = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  return numbers.flatMap((number) => defineParams(rows.replaceAll("#", String(number))));
}

/** What a parameter of this type keeps of a value: integers are rounded and kept in range. */
export function coerce(type: ParamType, value: number): number {
  const range = PARAM_LIMITS[type];
  if (!range) return Math.fround(value);
  return Math.min(range[1], Math.max(range[0], Math.round(value)));
}

/** A vehicle's parameters, sorted by name as autopilots list them. */
export class ParamStore {
  readonly all: readonly StoredParam[];
  private readonly byName: ReadonlyMap<string, StoredParam>;

  constructor(definitions: readonly ParamDefinition[]) {
    const sorted = [...definitions].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.all = sorted.map((definition, index) => ({
      ...definition,
      value: coerce(definition.type, definition.value),
      index,
    }));
    this.byName = new Map(this.all.map((param) => [param.name, param]));
    if (this.byName.size !== this.all.length) throw new Error("A parameter is defined twice");
  }

  find(name: string): StoredParam | undefined {
    return this.byName.get(name);
  }

  at(index: number): StoredParam | undefined {
    return this.all[index];
  }

  /** The value of a parameter, or `otherwise` when this autopilot does not have it. */
  get(name: string, otherwise = 0): number {
    return this.byName.get(name)?.value ?? otherwise;
  }

  set(name: string, value: number): StoredParam | undefined {
    const param = this.byName.get(name);
    if (param) param.value = coerce(param.type, value);
    return param;
  }
}
