import { type ReadonlySignal, type Signal, useComputed } from "@preact/signals";
import { clock } from "../../../format/time";
import { distance, height, speedUnit } from "../../../format/units";
import { kept } from "../../../parts/kept";
import { strings } from "../../../strings";
import type { Autopilot } from "../commands";
import { NumberField } from "../editor/number-field";
import type { PlanEditor } from "../editor/plan-editor";
import { RowList } from "../editor/row-list";
import type { Fault } from "./faults";
import type { MissionActions } from "./mission-actions";
import { routeOf } from "./route";
import { isOnPath, type MissionContent } from "./row";
import { RowForm } from "./row-form";
import type { RowMarks } from "./row-marks";
import { rowName, rowSummary } from "./row-words";

interface RowsPanelProps {
  readonly editor: PlanEditor<MissionContent>;
  readonly selected: Signal<number | undefined>;
  readonly autopilot: ReadonlySignal<Autopilot>;
  readonly faults: ReadonlySignal<ReadonlyMap<number, readonly Fault[]>>;
  readonly marks: RowMarks;
  readonly actions: MissionActions;
}

const text = strings.plan.rows;

/** Metres per second, for the estimate of the time. */
const speed = kept<string>("plan-speed", "5", (value) => (Number(value) > 0 ? value : undefined));

/** The rows in order, and the selected one below them. */
export function RowsPanel({ editor, selected, autopilot, faults, marks, actions }: RowsPanelProps) {
  const { rows } = editor.content;
  const route = useComputed(() => routeOf(editor.content.rows, Number(speed.value)));
  const { legs, length, seconds, isEndless, highest } = route.value;
  const at = rows.findIndex(({ key }) => key === selected.value);
  const row = rows[at];
  return (
    <>
      <div class="figures-row">
        <dl class="figures">
          <div>
            <dt>{text.count}</dt>
            <dd>{rows.length}</dd>
          </div>
          <div>
            <dt>{text.length}</dt>
            <dd>{distance(length)}</dd>
          </div>
          <div>
            <dt>{text.time}</dt>
            <dd title={text.timeHint}>{isEndless ? `${clock(seconds)} +` : clock(seconds)}</dd>
          </div>
          <div>
            <dt>{text.highest}</dt>
            <dd>{height(highest, 0)}</dd>
          </div>
        </dl>
        <NumberField
          label={text.speed}
          value={Number(speed.value)}
          unit={speedUnit()}
          digits={1}
          min={0.1}
          max={100}
          onChange={(value) => {
            speed.value = String(value);
          }}
        />
      </div>
      {rows.length === 0 ? (
        <p class="empty">{text.none}</p>
      ) : (
        <RowList
          label={text.title}
          items={rows}
          selected={selected}
          onMove={actions.reorder}
          onDelete={actions.remove}
        >
          {(item, index) => {
            const leg = legs.get(index);
            const isRefused = marks.refused.value?.key === item.key;
            return (
              <>
                <span class={`place ${isOnPath(item) ? "" : "beside"}`}>{index + 1}</span>
                <span class="row-name">{rowName(item)}</span>
                <span class="row-marks">
                  {isRefused && <Mark kind="refused" label={text.refused} />}
                  {!isRefused && marks.different.value.has(item.key) && (
                    <Mark kind="different" label={text.different} />
                  )}
                  {faults.value.has(item.key) && <Mark kind="faulty" label={text.faulty} />}
                </span>
                <span class="row-summary">{rowSummary(item)}</span>
                <span class="row-leg">{leg === undefined ? "" : distance(leg)}</span>
              </>
            );
          }}
        </RowList>
      )}
      {row && (
        <RowForm
          row={row}
          place={at + 1}
          rows={rows}
          autopilot={autopilot.value}
          faults={[
            ...(marks.refused.value?.key === row.key
              ? [{ isError: true, text: marks.refused.value.text }]
              : []),
            ...(faults.value.get(row.key) ?? []),
          ]}
          actions={actions}
        />
      )}
    </>
  );
}

const Mark = ({ kind, label }: { kind: "refused" | "different" | "faulty"; label: string }) => (
  <span class={`mark ${kind}`} title={label}>
    <span aria-hidden="true">{kind === "different" ? "≠" : "!"}</span>
    <span class="visually-hidden">{label}</span>
  </span>
);
