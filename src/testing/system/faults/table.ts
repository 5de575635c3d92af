import { FLAWS } from "./findings";
import { KINDS } from "./progress";
import type { FaultRow, FaultRun } from "./run";

const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(1);

/** The run as a page's table: recovery in seconds for each kind of load, then what was wrong. */
export function faultTable({ rows, acknowledged }: Pick<FaultRun, "rows" | "acknowledged">): string {
  const line = (cells: readonly unknown[]) => `| ${cells.join(" | ")} |`;
  const cellsOf = ({ fault, recovery, flaws }: FaultRow) => [
    fault,
    ...KINDS.map((kind) => seconds(recovery[kind])),
    ...FLAWS.map((flaw) => flaws[flaw]),
  ];
  return [
    line(["fault", ...KINDS, ...FLAWS]),
    line(["---", ...[...KINDS, ...FLAWS].map(() => "---:")]),
    ...rows.map((row) => line(cellsOf(row))),
    "",
    `Acknowledged: ${KINDS.map((kind) => `${acknowledged[kind]} ${kind}`).join(", ")}.`,
  ].join("\n");
}
