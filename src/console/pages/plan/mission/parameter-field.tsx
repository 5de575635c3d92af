import { useId } from "preact/hooks";
import { shortLength, speedUnit } from "../../../format/units";
import { strings } from "../../../strings";
import { type Autopilot, commandOf, type Parameter, type ParameterColumn, parameterTexts } from "../commands";
import { NumberField, type NumberUnit } from "../editor/number-field";
import type { Row } from "./row";
import { rowName } from "./row-words";

const text = strings.plan.row;

/** Lengths and speeds in the user's units, the others as MAVLink has them. */
export function columnUnit(unit: Parameter["unit"]): NumberUnit {
  if (unit === "m") return shortLength();
  if (unit === "m/s") return speedUnit();
  return { name: unit ?? "", factor: 1 };
}

interface ParameterFieldProps {
  readonly row: Row;
  readonly column: ParameterColumn;
  readonly rows: readonly Row[];
  readonly autopilot: Autopilot;
  readonly change: (columns: Partial<Row>) => void;
}

/** A parameter by its label in the row's command. */
export function ParameterField({ row, column, rows, autopilot, change }: ParameterFieldProps) {
  const parameter = commandOf(row.command)?.parameters[column] as Parameter;
  const { unit, options, min, max, isRow, isOptional, isWhole, only } = parameter;
  const { label, options: words } = parameterTexts(row.command, column);
  const set = (value: number | null) =>
    change({ [column]: value ?? 0, ...(isOptional ? { [column]: value } : {}) });
  const hint = only && only !== autopilot ? text.leftOut(strings.plan.autopilots[autopilot]) : undefined;
  if (isRow) return <RowChoice label={label} value={row.param1} rows={rows} onChange={set} />;
  if (options) return <OptionField value={row[column]} {...{ label, options, words, hint }} onChange={set} />;
  return (
    <NumberField
      label={label}
      value={row[column]}
      unit={columnUnit(unit)}
      digits={isWhole ? 0 : 3}
      isOptional={isOptional ?? false}
      {...{ hint, min, max }}
      onChange={set}
    />
  );
}

interface OptionFieldProps {
  readonly label: string;
  readonly options: readonly number[];
  /** Of the options. */
  readonly words: Readonly<Record<number, string>>;
  readonly value: number | null;
  readonly hint?: string | undefined;
  readonly onChange: (value: number) => void;
}

function OptionField({ label, options, words, value, hint, onChange }: OptionFieldProps) {
  const id = useId();
  const isKnown = options.some((known) => known === value);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={String(value)}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
      >
        {options.map((known) => (
          <option key={known} value={String(known)}>
            {words[known]}
          </option>
        ))}
        {!isKnown && <option value={String(value)}>{String(value ?? "–")}</option>}
      </select>
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

interface RowChoiceProps {
  readonly label: string;
  /** The place, from 1. */
  readonly value: number;
  readonly rows: readonly Row[];
  readonly onChange: (value: number) => void;
}

/** Rows that a list of choices shows at most: beyond, the number is typed. */
const MOST_CHOICES = 300;

function RowChoice({ label, value, rows, onChange }: RowChoiceProps) {
  const id = useId();
  if (rows.length > MOST_CHOICES)
    return (
      <NumberField
        label={label}
        value={value}
        digits={0}
        min={1}
        max={rows.length}
        onChange={(entered) => onChange(entered ?? 0)}
      />
    );
  const isKnown = Number.isInteger(value) && value >= 1 && value <= rows.length;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={isKnown ? String(value) : ""}
        onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
      >
        {!isKnown && <option value="">{text.noRow}</option>}
        {rows.map((row, at) => (
          <option key={row.key} value={String(at + 1)}>
            {at + 1} {rowName(row)}
          </option>
        ))}
      </select>
    </div>
  );
}
