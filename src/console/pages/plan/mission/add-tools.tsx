import type { Signal } from "@preact/signals";
import { strings } from "../../../strings";
import { type Autopilot, commandOf } from "../commands";
import { TapToggle } from "../editor/tap-toggle";
import { CommandSelect } from "./command-select";

interface AddToolsProps {
  readonly autopilot: Signal<Autopilot>;
  /** What is added. */
  readonly command: Signal<number>;
  readonly isAdding: Signal<boolean>;
  readonly onInsert: () => void;
}

const text = strings.plan.tools;

/** What a new row is, and how it comes onto the map. */
export function AddTools({ autopilot, command, isAdding, onInsert }: AddToolsProps) {
  const isPlaced = (commandOf(command.value)?.position ?? "target") !== "none";
  return (
    <>
      <div class="tool">
        <CommandSelect
          label={text.add}
          value={command.value}
          autopilot={autopilot.value}
          onChange={(id) => {
            command.value = id;
          }}
        />
      </div>
      <TapToggle isAdding={isAdding} label={text.onMap} isDisabled={!isPlaced} />
      <button type="button" title={isPlaced ? text.atMiddleHint : undefined} onClick={onInsert}>
        {isPlaced ? text.atMiddle : text.insert}
      </button>
      <div class="tool end">
        <div class="field">
          <label for="autopilot">{text.autopilot}</label>
          <select
            id="autopilot"
            value={autopilot.value}
            onChange={({ currentTarget }) => {
              autopilot.value = currentTarget.value as Autopilot;
            }}
          >
            {Object.entries(strings.plan.autopilots).map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </div>
    </>
  );
}
