import { FINDING_TYPES } from "./findings";
import { LOAD_KINDS } from "./progress";
import type { FaultRow, FaultRun } from "./run";

const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(1);

/** The run as a page's table: recovery in seconds for each kind of load, then what was wrong. */
export function faultTable({ rows, acknowledged }: Pick<FaultRun, "rows" | "acknowledged">): string {
  const line = (cells: readonly unknown[]) => `| ${cells.join(" | ")} |`;
  const cellsOf = ({ fault, recovery, findings }: FaultRow) => [
    fault,
    ...LOAD_KINDS.map((kind) => seconds(recovery[kind])),
    ...FINDING_TYPES.map((type) => findings[type]),
  ];
  return [
    line(["fault", ...LOAD_KINDS, ...FINDING_TYPES]),
    line(["---", ...[...LOAD_KINDS, ...FINDING_TYPES].map(() => "---:")]),
    ...rows.map((row) => line(cellsOf(row))),
    "",
    `Acknowledged: ${LOAD_KINDS.map((kind) => `${acknowledged[kind]} ${kind}`).join(", ")}.`,
  ].join("\n");
}
