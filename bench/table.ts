/** One figure beside its baseline, measured in the same run. */
export interface BenchRow {
  readonly what: string;
  readonly ours: number;
  readonly baseline: number;
  /** ours / baseline, or baseline's part that the goal speaks of. */
  readonly ratio: number;
  readonly unit: string;
  /** In words: "at least 2 times the baseline". */
  readonly goal: string;
  readonly met: boolean;
}

export interface BenchTable {
  readonly name: string;
  readonly rows: readonly BenchRow[];
  readonly notes?: readonly string[];
}

const figure = (value: number): string =>
  Number.isNaN(value)
    ? "–"
    : Math.abs(value) >= 100
      ? Math.round(value).toLocaleString("en-US")
      : value.toFixed(2);

/** The table as Markdown, ready for `bench/README.md`. */
export function toMarkdown({ name, rows, notes = [] }: BenchTable): string {
  return [
    `## ${name}`,
    "",
    "| what | ours | baseline | ratio | unit | goal | met |",
    "|---|---:|---:|---:|---|---|---|",
    ...rows.map(({ what, ours, baseline, ratio, unit, goal, met }) => {
      const cells = [what, figure(ours), figure(baseline), figure(ratio), unit, goal, met ? "yes" : "**no**"];
      return `| ${cells.join(" | ")} |`;
    }),
    ...(notes.length > 0 ? ["", ...notes.map((note) => `- ${note}`)] : []),
    "",
  ].join("\n");
}

/** The least of the values that so large a part of them does not exceed; NaN without any. */
export const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * part) - 1)] ?? Number.NaN;

export const median = (values: readonly number[]): number => percentile(values, 0.5);
