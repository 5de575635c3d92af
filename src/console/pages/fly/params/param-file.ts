/** A line of a file that is no parameter. */
interface UnreadLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface ParamFile {
  readonly params: ReadonlyMap<string, number>;
  readonly unread: readonly UnreadLine[];
}

const NAME = /^[A-Za-z0-9_]{1,16}$/;

/**
 * The parameters of a file of QGroundControl (vehicle, component, name, value, type) or of Mission Planner (name, value),
 * separated by tabs, commas or spaces. A line that begins with `#` is a comment. The last of a name counts.
 */
export function readParamFile(file: string): ParamFile {
  const params = new Map<string, number>();
  const unread: UnreadLine[] = [];
  for (const [at, line] of file
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    const text = line.replace(/#.*/, "").trim();
    if (text === "") continue;
    const fields = text.split(/\s*,\s*|\s+/);
    const [name = "", value = ""] = fields.length >= 4 ? fields.slice(2, 4) : fields;
    const number = Number(value);
    if (NAME.test(name) && value !== "" && Number.isFinite(number)) params.set(name, number);
    else unread.push({ line: at + 1, text: line.trim() });
  }
  return { params, unread };
}

/** As Mission Planner writes it. */
export const writeParamFile = (params: Iterable<readonly [name: string, value: number]>): string =>
  [...params].map(([name, value]) => `${name},${paramText(value)}\n`).join("");

/** The shortest decimal that the vehicle stores as the same number: parameters are floats of 32 bits, or integers. */
export function paramText(value: number): string {
  if (Number.isInteger(value)) return String(value);
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) return String(short);
  }
  return String(value);
}

/** Whether the vehicle stores both as the same number. */
export const isSameParam = (a: number, b: number): boolean => a === b || Math.fround(a) === Math.fround(b);
