import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { strings } from "../../../strings";
import { type Autopilot, type CommandGroup, commandName, commandOf, commands } from "../commands";
import { NumberField } from "../editor/number-field";

interface CommandSelectProps {
  readonly label: string;
  readonly value: number;
  readonly autopilot: Autopilot;
  readonly onChange: (id: number) => void;
}

const text = strings.plan.row;
const OTHER = "other";
const groups = Object.entries(strings.plan.groups) as [CommandGroup, string][];

/** One of the commands that the autopilot takes, or any other by its number. */
export function CommandSelect({ label, value, autopilot, onChange }: CommandSelectProps) {
  const id = useId();
  const isNumber = useSignal(false);
  const isListed = commandOf(value)?.takenBy.includes(autopilot) ?? false;
  return (
    <>
      <div class="field">
        <label for={id}>{label}</label>
        <select
          id={id}
          value={isNumber.value ? OTHER : String(value)}
          onChange={({ currentTarget: { value: chosen } }) => {
            isNumber.value = chosen === OTHER;
            if (chosen !== OTHER) onChange(Number(chosen));
          }}
        >
          {!isListed && <option value={String(value)}>{commandName(value)}</option>}
          {groups.map(([group, name]) => (
            <optgroup key={group} label={name}>
              {commands
                .filter((command) => command.group === group && command.takenBy.includes(autopilot))
                .map((command) => (
                  <option key={command.id} value={String(command.id)}>
                    {commandName(command.id)}
                  </option>
                ))}
            </optgroup>
          ))}
          <option value={OTHER}>{text.byNumber}</option>
        </select>
      </div>
      {(isNumber.value || !commandOf(value)) && (
        <NumberField
          label={text.number}
          value={value}
          digits={0}
          min={0}
          max={65_535}
          onChange={(number) => {
            isNumber.value = false;
            onChange(number ?? value);
          }}
        />
      )}
    </>
  );
}
