import { strings } from "../../../strings";
import type { ParameterColumn } from "./command";

interface ParameterTexts {
  readonly label: string;
  /** By the values of the options. */
  readonly options: Readonly<Record<number, string>>;
}

interface CommandTexts extends Readonly<Partial<Record<ParameterColumn, string | ParameterTexts>>> {
  readonly name: string;
}

const commandTexts: Readonly<Record<number, CommandTexts>> = strings.plan.commands;

export const commandName = (id: number): string =>
  commandTexts[id]?.name ?? strings.plan.row.commandNumber(id);

/** Of a parameter that the table has. */
export function parameterTexts(command: number, column: ParameterColumn): ParameterTexts {
  const texts = commandTexts[command]?.[column] ?? "";
  return typeof texts === "string" ? { label: texts, options: {} } : texts;
}
