import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { readNumber } from "../../../parts/number";
import { strings } from "../../../strings";

export interface NumberUnit {
  /** Empty for a number without a unit. */
  readonly name: string;
  /** What is shown of one of the value's own unit. */
  readonly factor: number;
}

interface NumberFieldProps {
  readonly label: string;
  /** In the API's unit. null: left to the vehicle. */
  readonly value: number | null;
  readonly unit?: NumberUnit;
  /** Decimals that are shown at most. */
  readonly digits?: number;
  /** What the arrow keys add, in the unit that is shown. */
  readonly step?: number;
  /** An empty field is null. */
  readonly isOptional?: boolean;
  readonly hint?: string | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** Called when the user has finished the entry with another number, in the API's unit. */
  readonly onChange: (value: number | null) => void;
}

const PLAIN: NumberUnit = { name: "", factor: 1 };

/** A number, entered with a point or a comma. One that does not fit is said, and changes nothing. */
export function NumberField(props: NumberFieldProps) {
  const { label, value, unit = PLAIN, digits = 2, step = 1, isOptional = false, hint } = props;
  const id = useId();
  const entered = useSignal<string | undefined>(undefined);
  const fault = useSignal("");
  const shown = value === null ? "" : inDigits(value * unit.factor, digits);
  const text = entered.value ?? shown;

  const finish = (typed: string) => {
    if (typed === shown) {
      entered.value = undefined;
      fault.value = "";
      return;
    }
    const read = readValue(typed, unit, isOptional);
    fault.value = faultOf(read, props);
    if (fault.value !== "" || read === undefined) return;
    entered.value = undefined;
    props.onChange(read);
  };

  return (
    <div class="field number-field">
      <label for={id}>
        {label}
        {unit.name !== "" && <span class="unit"> {unit.name}</span>}
      </label>
      <input
        id={id}
        inputMode="decimal"
        autocomplete="off"
        value={text}
        placeholder={isOptional ? strings.plan.byVehicle : undefined}
        aria-invalid={fault.value !== ""}
        aria-describedby={hint || fault.value ? `${id}-hint` : undefined}
        onInput={({ currentTarget }) => {
          entered.value = currentTarget.value;
        }}
        onChange={({ currentTarget }) => finish(currentTarget.value)}
        onKeyDown={(event) => {
          const by = { ArrowUp: step, ArrowDown: -step }[event.key];
          const number = by && readValue(text, unit, false);
          if (by === undefined || typeof number !== "number") return;
          event.preventDefault();
          finish(inDigits(number * unit.factor + by, digits));
        }}
      />
      {(fault.value || hint) && (
        <p id={`${id}-hint`} class={fault.value ? "field-fault" : "hint"}>
          {fault.value || hint}
        </p>
      )}
    </div>
  );
}

/** Without zeros at the end. */
const inDigits = (value: number, digits: number): string => String(Number(value.toFixed(digits)));

/** Undefined for a text that is no number. */
function readValue(text: string, unit: NumberUnit, isOptional: boolean): number | null | undefined {
  if (isOptional && text.trim() === "") return null;
  const number = readNumber(text);
  return number === undefined ? undefined : number / unit.factor;
}

function faultOf(
  value: number | null | undefined,
  { unit = PLAIN, digits = 2, min, max }: NumberFieldProps,
): string {
  const { faults } = strings.plan;
  const inUnit = (limit: number) => `${inDigits(limit * unit.factor, digits)} ${unit.name}`.trim();
  if (value === undefined) return faults.noNumber;
  if (value === null) return "";
  if (min !== undefined && value < min) return faults.atLeast(inUnit(min));
  if (max !== undefined && value > max) return faults.atMost(inUnit(max));
  return "";
}
