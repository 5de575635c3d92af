import { height, NO_VALUE, speed } from "../../../format/units";
import { strings } from "../../../strings";
import { commandOf, type Parameter } from "../commands";
import { isOnPath, type Row } from "./row";
import { isJump } from "./row-edits";

const text = strings.plan.row;

export const commandName = (id: number): string => commandOf(id)?.name ?? text.commandNumber(id);

/** Its label, or what it does. */
export const rowName = ({ label, command }: Row): string => label || commandName(command);

/** What matters of it in a list: its height, or its first parameters. */
export function rowSummary(row: Row): string {
  if (isOnPath(row)) return height(row.altitude, 0);
  if (isJump(row)) return text.jump(row.param1, row.param2);
  const parameters = Object.entries(commandOf(row.command)?.parameters ?? {});
  // A speed says more than that it is a ground speed.
  const [column, parameter] = parameters.find(([, { unit }]) => unit !== undefined) ?? parameters[0] ?? [];
  return column && parameter ? valueInWords(row[column as keyof Row] as number | null, parameter) : "";
}

function valueInWords(value: number | null, { options, unit, isOptional }: Parameter): string {
  if (value === null) return isOptional ? "" : NO_VALUE;
  const option = options?.find(([known]) => known === value);
  if (option) return option[1];
  if (unit === "m") return height(value, 0);
  if (unit === "m/s") return speed(value);
  return `${value}${unit === undefined ? "" : unit.startsWith("°") ? unit : ` ${unit}`}`;
}
