import { align } from "./alignment";
import { type MissionItem, rowName } from "./mission-item";

/** A field that the vehicle stores in another form than it was sent in. NaN: the vehicle chooses. */
export interface Adjustment {
  /** The row as the user stored it; null for a row that was added. */
  readonly sequence: number | null;
  readonly field: string;
  readonly sent: number;
  readonly stored: number;
}

interface ComparedRow {
  /** As the user stored it; null for a row that was added. */
  readonly sequence: number | null;
  /** As messages name it. */
  readonly name: string;
}

/** A plan as it was sent, or would be, beside the one on board. */
export interface Comparison {
  /** Fields of rows that are on board with another value. */
  readonly differences: (Adjustment & ComparedRow)[];
  /** Rows that are not on board. */
  readonly missing: ComparedRow[];
  /** Items on board that are no row's, by their index. */
  readonly extra: number[];
  /** What the vehicle is known to change. */
  readonly adjusted: Adjustment[];
}

/** Adjusted: the vehicle is known to store it so. */
export type Verdict = "same" | "adjusted" | "different";

/** How the items of one kind of plan are compared: by their values of these fields. */
export interface ComparisonRules<Field extends string> {
  readonly fields: readonly Field[];
  readonly values: (item: MissionItem) => readonly number[];
  readonly judge: (field: Field, was: number, is: number, command: number) => Verdict;
  /** Fields in which an item may differ from a row and still be that row's. None by default. */
  readonly free?: readonly Field[];
}

export function compare<Field extends string>(
  sent: readonly MissionItem[],
  kept: readonly MissionItem[],
  { fields, values, judge, free = [] }: ComparisonRules<Field>,
): Comparison {
  const before = sent.map(values);
  const after = kept.map(values);
  const judged = (row: number, item: number, at: number): Verdict => {
    const [was, is] = [before[row]?.[at] as number, after[item]?.[at] as number];
    return judge(fields[at] as Field, was, is, sent[row]?.command as number);
  };
  const deciding = [...fields.keys()].filter((at) => !free.includes(fields[at] as Field));
  const agree = (row: number, item: number) => deciding.every((at) => judged(row, item, at) !== "different");

  const comparison: Comparison = { differences: [], missing: [], extra: [], adjusted: [] };
  for (const { row, item } of align(sent.length, kept.length, agree)) {
    if (row === undefined) {
      if (item !== undefined) comparison.extra.push(item);
      continue;
    }
    const sentRow = sent[row] as MissionItem;
    const compared = { sequence: sentRow.row?.sequence ?? null, name: rowName(sentRow, row) };
    if (item === undefined) comparison.missing.push(compared);
    else
      for (const [at, field] of fields.entries()) {
        const verdict = judged(row, item, at);
        if (verdict === "same") continue;
        const [was, is] = [before[row]?.[at] as number, after[item]?.[at] as number];
        const change = { field, sent: inUnits(field, was), stored: inUnits(field, is) };
        if (verdict === "different") comparison.differences.push({ ...compared, ...change });
        else comparison.adjusted.push({ sequence: compared.sequence, ...change });
      }
  }
  return comparison;
}

/** Degrees of a position. */
const inUnits = (field: string, value: number): number =>
  field === "lat" || field === "lng" ? value / 1e7 : value;

/** The vehicle holds what was sent. */
export const isHeld = ({ differences, missing, extra }: Comparison): boolean =>
  differences.length + missing.length + extra.length === 0;

/** What of the plan that was sent is not on board, a line each. */
export function differencesInWords(
  sent: readonly MissionItem[],
  kept: readonly MissionItem[],
  { differences, missing, extra }: Comparison,
): string[] {
  if (sent.length !== kept.length) return [`${sent.length} items were sent and ${kept.length} came back`];
  return [
    ...differences.map(({ name, field, sent, stored }) => `${name}: ${field} ${sent} became ${stored}`),
    ...missing.map(({ name }) => `${name} did not come back`),
    ...extra.map((at) => `item ${at + 1} was not sent`),
  ];
}
