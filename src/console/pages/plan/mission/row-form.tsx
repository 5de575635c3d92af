import { strings } from "../../../strings";
import { type Autopilot, commandOf } from "../commands";
import { BIN, IconButton } from "../editor/icon-button";
import { NumberField } from "../editor/number-field";
import { CommandSelect } from "./command-select";
import type { Fault } from "./faults";
import type { MissionActions } from "./mission-actions";
import { columnUnit, ParameterField } from "./parameter-field";
import { plainFrame } from "./route";
import { frames, isOnPath, positionKind, type Row } from "./row";

interface RowFormProps {
  readonly row: Row;
  readonly place: number;
  readonly rows: readonly Row[];
  readonly autopilot: Autopilot;
  readonly faults: readonly Fault[];
  readonly actions: MissionActions;
}

const text = strings.plan.row;

const COLUMNS = ["param1", "param2", "param3", "param4"] as const;

/** The selected row, column by column. */
export function RowForm({ row, place, rows, autopilot, faults, actions }: RowFormProps) {
  const command = commandOf(row.command);
  const change = (columns: Partial<Row>) => actions.change(row.key, columns);
  const hasPosition = positionKind(row) !== "none" || !command;
  // What the autopilot leaves out is shown where it is set.
  const isKept = (column: (typeof COLUMNS)[number]) => {
    const { only = autopilot } = command?.parameters[column] ?? {};
    return only === autopilot || Boolean(row[column]);
  };
  const used = COLUMNS.filter((column) => command?.parameters[column] && isKept(column));
  // What is stored is shown, even where the command does not use it.
  const unused = COLUMNS.filter(
    (column) => !command?.parameters[column] && (!command || (row[column] !== 0 && row[column] !== null)),
  );
  return (
    <section class="row-form" aria-label={text.title(place)}>
      <div class="row-form-head">
        <h2>{text.title(place)}</h2>
        <div class="actions">
          <IconButton
            label={text.up}
            path="M12 19V5M6 11l6-6 6 6"
            isDisabled={place === 1}
            onClick={() => actions.reorder(place - 1, place - 2)}
          />
          <IconButton
            label={text.down}
            path="M12 5v14M6 13l6 6 6-6"
            isDisabled={place === rows.length}
            onClick={() => actions.reorder(place - 1, place)}
          />
          <IconButton label={text.remove} path={BIN} class="delete" onClick={() => actions.remove(row.key)} />
        </div>
      </div>
      <ul class="faults" hidden={faults.length === 0}>
        {faults.map(({ isError, text: words }) => (
          <li key={words} class={isError ? "failure" : "caution"}>
            {words}
          </li>
        ))}
      </ul>
      <div class="columns">
        <CommandSelect
          label={text.command}
          value={row.command}
          autopilot={autopilot}
          onChange={(id) => actions.setCommand(row, id)}
        />
        {used.map((column) => (
          <ParameterField key={`${row.key} ${column}`} {...{ row, column, rows, autopilot, change }} />
        ))}
        {(["lat", "lng", "altitude"] as const)
          .filter((column) => command?.parameters[column])
          .map((column) => (
            <ParameterField key={`${row.key} ${column}`} {...{ row, column, rows, autopilot, change }} />
          ))}
        {hasPosition && <Position key={row.key} row={row} change={change} />}
        {isOnPath(row) && row.altitude > 0 && (
          <button type="button" class="wide-field" onClick={() => actions.setAllHeights(row)}>
            {text.allHeights}
          </button>
        )}
        {unused.map((column) => (
          <NumberField
            key={`${row.key} ${column}`}
            label={text.rawParameter(column.replace("param", ""))}
            value={row[column]}
            isOptional={column === "param4"}
            digits={7}
            onChange={(value) => change({ [column]: value })}
          />
        ))}
        <Label key={`label ${row.key}`} row={row} change={change} />
      </div>
    </section>
  );
}

interface ColumnsProps {
  readonly row: Row;
  readonly change: (columns: Partial<Row>) => void;
}

const heights = [
  [frames.home, text.frames.home],
  [frames.sea, text.frames.sea],
  [frames.terrain, text.frames.terrain],
  [frames.none, text.frames.none],
] as const;

function Position({ row, change }: ColumnsProps) {
  const frame = plainFrame(row.frame);
  const isKnown = heights.some(([known]) => known === frame);
  return (
    <>
      <NumberField
        label={text.height}
        value={row.altitude}
        unit={columnUnit("m")}
        onChange={(altitude) => change({ altitude: altitude ?? 0 })}
      />
      <div class="field">
        <label for="row-frame">{text.above}</label>
        <select
          id="row-frame"
          value={String(frame)}
          onChange={({ currentTarget }) => change({ frame: Number(currentTarget.value) })}
        >
          {heights
            .filter(([known]) => known !== frames.none || frame === frames.none || !commandOf(row.command))
            .map(([known, name]) => (
              <option key={known} value={String(known)}>
                {name}
              </option>
            ))}
          {!isKnown && <option value={String(frame)}>{text.frames.other(frame)}</option>}
        </select>
      </div>
      <Degrees column="lat" label={text.latitude} row={row} change={change} />
      <Degrees column="lng" label={text.longitude} row={row} change={change} />
    </>
  );
}

function Degrees({ column, label, row, change }: ColumnsProps & { column: "lat" | "lng"; label: string }) {
  const limit = column === "lat" ? 90 : 180;
  return (
    <NumberField
      label={label}
      value={row[column]}
      unit={{ name: "°", factor: 1 }}
      digits={7}
      step={0.00001}
      min={-limit}
      max={limit}
      onChange={(value) => change({ [column]: value ?? 0 })}
    />
  );
}

/** UTF-16 units that the API takes. */
const LABEL_LENGTH = 200;

function Label({ row, change }: ColumnsProps) {
  return (
    <div class="field wide-field">
      <label for="row-label">{text.label}</label>
      <input
        id="row-label"
        value={row.label ?? ""}
        maxLength={LABEL_LENGTH}
        autocomplete="off"
        onInput={({ currentTarget }) => change({ label: currentTarget.value || null })}
      />
    </div>
  );
}
