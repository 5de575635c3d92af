import { strings } from "../../../strings";
import { type Autopilot, commandOf, JUMP, type ParameterColumn, parameterTexts } from "../commands";
import { isOnMap, positionKind, type Row } from "./row";

/** What is wrong with a row. A push refuses an error; a warning it may take. */
export interface Fault {
  readonly isError: boolean;
  readonly text: string;
}

const text = strings.plan.faults;

/** Of each row that has some, by its key. */
export function faultsOf(rows: readonly Row[], autopilot: Autopilot): ReadonlyMap<number, readonly Fault[]> {
  const found = new Map<number, readonly Fault[]>();
  for (const row of rows) {
    const faults = faultsOfRow(row, rows, autopilot);
    if (faults.length > 0) found.set(row.key, faults);
  }
  return found;
}

function faultsOfRow(row: Row, rows: readonly Row[], autopilot: Autopilot): Fault[] {
  const command = commandOf(row.command);
  const faults: Fault[] = [];
  const warn = (words: string) => faults.push({ isError: false, text: words });
  if (row.command === JUMP && !leadsToRow(row, rows)) faults.push({ isError: true, text: text.jump });
  if (command && !command.takenBy.includes(autopilot))
    warn(text.notTaken(strings.plan.autopilots[autopilot]));
  if (positionKind(row) === "path" && !isOnMap(row) && !whereItIs.has(row.command)) warn(text.noPosition);
  for (const [column, parameter] of Object.entries(command?.parameters ?? {})) {
    const value = row[column as ParameterColumn];
    if (typeof value !== "number" || parameter.isRow) continue;
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = parameter;
    const { label } = parameterTexts(row.command, column as ParameterColumn);
    if (value < min || value > max) warn(text.outOfRange(label));
    else if (parameter.isWhole && !Number.isInteger(value)) warn(text.notWhole(label));
  }
  return faults;
}

/** Take-offs and landings without a position are where the vehicle is. */
const whereItIs: ReadonlySet<number> = new Set([21, 22, 84, 85]);

const leadsToRow = ({ param1 }: Row, rows: readonly Row[]): boolean =>
  Number.isInteger(param1) && param1 >= 1 && param1 <= rows.length;
