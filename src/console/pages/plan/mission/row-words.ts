import { height, NO_VALUE, speed } from "../../../format/units";
import { strings } from "../../../strings";
import { commandName, commandOf, type Parameter, type ParameterColumn, parameterTexts } from "../commands";
import { isOnPath, type Row } from "./row";
import { isJump } from "./row-edits";

const text = strings.plan.row;

/** Its label, or what it does. */
export const rowName = ({ label, command }: Row): string => label || commandName(command);

/** What matters of it in a list: its height, or its first parameters. */
export function rowSummary(row: Row): string {
  if (isOnPath(row)) return height(row.altitude, 0);
  if (isJump(row)) return text.jump(row.param1, row.param2);
  const parameters = Object.entries(commandOf(row.command)?.parameters ?? {});
  // A speed says more than that it is a ground speed.
  const [column, parameter] = parameters.find(([, { unit }]) => unit !== undefined) ?? parameters[0] ?? [];
  return parameter ? valueInWords(row, column as ParameterColumn, parameter) : "";
}

function valueInWords(row: Row, column: ParameterColumn, { unit, isOptional }: Parameter): string {
  const value = row[column];
  if (value === null) return isOptional ? "" : NO_VALUE;
  const option = parameterTexts(row.command, column).options[value];
  if (option) return option;
  if (unit === "m") return height(value, 0);
  if (unit === "m/s") return speed(value);
  return `${value}${unit === undefined ? "" : unit.startsWith("°") ? unit : ` ${unit}`}`;
}
