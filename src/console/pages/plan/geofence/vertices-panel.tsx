import type { Signal } from "@preact/signals";
import { coordinates, distance, shortLength, unitSystem } from "../../../format/units";
import { strings } from "../../../strings";
import { BIN, IconButton } from "../editor/icon-button";
import { NumberField } from "../editor/number-field";
import type { PlanEditor } from "../editor/plan-editor";
import { RowList } from "../editor/row-list";
import type { FenceContent } from "./fence";
import type { FenceActions } from "./fence-actions";
import { fenceFaults, figuresOf } from "./fence-figures";

interface VerticesPanelProps {
  readonly editor: PlanEditor<FenceContent>;
  readonly selected: Signal<number | undefined>;
  readonly actions: FenceActions;
}

const text = strings.plan.fence;

/** What the geofence is, and its vertices. */
export function VerticesPanel({ editor, selected, actions }: VerticesPanelProps) {
  const { content } = editor;
  const { type, fence_type, enabled, rows } = content;
  const { border, area } = figuresOf(content);
  const faults = fenceFaults(content);
  const at = rows.findIndex(({ key }) => key === selected.value);
  const vertex = type === "circle" ? (rows[at] ?? rows[0]) : rows[at];
  return (
    <>
      <div class="columns fence-fields">
        <div class="field">
          <label for="fence-type">{text.keep}</label>
          <select
            id="fence-type"
            value={fence_type}
            onChange={({ currentTarget }) =>
              actions.setFields({ fence_type: currentTarget.value as FenceContent["fence_type"] })
            }
          >
            <option value="inclusion">{text.kinds.inclusion}</option>
            <option value="exclusion">{text.kinds.exclusion}</option>
          </select>
        </div>
        <div class="field">
          <label for="fence-shape">{text.shape}</label>
          <select
            id="fence-shape"
            value={type}
            onChange={({ currentTarget }) => actions.setType(currentTarget.value as FenceContent["type"])}
          >
            <option value="polygon">{text.shapes.polygon}</option>
            <option value="circle">{text.shapes.circle}</option>
          </select>
        </div>
        <label class="choice wide-field">
          <input
            type="checkbox"
            checked={enabled}
            onChange={({ currentTarget }) => actions.setFields({ enabled: currentTarget.checked })}
          />
          {text.enabled}
        </label>
      </div>
      <dl class="figures">
        <div>
          <dt>{type === "circle" ? text.circles : text.vertices}</dt>
          <dd>{rows.length}</dd>
        </div>
        <div>
          <dt>{text.border}</dt>
          <dd>{distance(border)}</dd>
        </div>
        <div>
          <dt>{text.area}</dt>
          <dd>{areaInWords(area)}</dd>
        </div>
      </dl>
      <ul class="faults" hidden={faults.length === 0}>
        {faults.map(({ isError, text: words }) => (
          <li key={words} class={isError ? "failure" : "caution"}>
            {words}
          </li>
        ))}
      </ul>
      {rows.length > 0 && (type === "polygon" || rows.length > 1) && (
        <RowList
          label={text.list}
          items={rows}
          selected={selected}
          onMove={actions.reorder}
          onDelete={actions.remove}
        >
          {(item, index) => (
            <>
              <span class="place">{index + 1}</span>
              <span class="row-name">{coordinates(item.lat, item.lng)}</span>
            </>
          )}
        </RowList>
      )}
      {vertex && (
        <section class="row-form" aria-label={text.selected(type, rows.indexOf(vertex) + 1)}>
          <div class="row-form-head">
            <h2>{text.selected(type, rows.indexOf(vertex) + 1)}</h2>
            <div class="actions">
              <IconButton
                label={strings.plan.row.remove}
                path={BIN}
                class="delete"
                onClick={() => actions.remove(vertex.key)}
              />
            </div>
          </div>
          <div class="columns">
            {type === "circle" && (
              <NumberField
                key={`${vertex.key} radius`}
                label={text.radius}
                value={vertex.radius}
                unit={shortLength()}
                digits={1}
                min={0.1}
                step={10}
                onChange={(radius) => actions.change(vertex.key, { radius: radius ?? 0 })}
              />
            )}
            {(["lat", "lng"] as const).map((column) => (
              <NumberField
                key={`${vertex.key} ${column}`}
                label={column === "lat" ? strings.plan.row.latitude : strings.plan.row.longitude}
                value={vertex[column]}
                unit={{ name: "°", factor: 1 }}
                digits={7}
                step={0.00001}
                min={column === "lat" ? -90 : -180}
                max={column === "lat" ? 90 : 180}
                onChange={(value) => actions.change(vertex.key, { [column]: value ?? 0 })}
              />
            ))}
          </div>
        </section>
      )}
    </>
  );
}

const SQUARE_METRES_PER_ACRE = 4_046.8564224;

/** Hectares or acres; small ones in square metres or feet. */
function areaInWords(squareMetres: number): string {
  const isMetric = unitSystem.value === "metric";
  const [large, name] = isMetric ? [10_000, "ha"] : [SQUARE_METRES_PER_ACRE, "ac"];
  if (squareMetres >= large) return `${(squareMetres / large).toFixed(2)} ${name}`;
  const { factor, name: short } = shortLength();
  return `${Math.round(squareMetres * factor * factor)} ${short}²`;
}
