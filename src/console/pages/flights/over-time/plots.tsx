import { useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { strings } from "../../../strings";
import { drawPlot } from "./draw-plot";
import type { FlightView } from "./flight-view";
import { measured } from "./plot-table";
import { type Measured, measuredIn } from "./track";
import "uplot/dist/uPlot.min.css";

const text = strings.flights.overTime;

/** A plot of each measurement that the track has, with the value at the cursor. */
export default function Plots({ view }: { view: FlightView }) {
  // A track that grows has the same ones most of the time.
  const columns = useComputed(() => measuredIn(view.track.value).join(" "));
  const shown = columns.value.split(" ").filter(Boolean) as Measured[];
  return (
    <>
      {shown.map((column) => (
        <Plot key={column} view={view} column={column} />
      ))}
    </>
  );
}

function Plot({ view, column }: { view: FlightView; column: Measured }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => drawPlot(host.current as HTMLDivElement, view, column), [view, column]);
  return (
    <figure class="plot">
      <figcaption>
        {text.columns[column]} <ValueAtCursor view={view} column={column} />
      </figcaption>
      <div ref={host} class="plot-canvas" role="img" aria-label={describe(view, column)} />
    </figure>
  );
}

const ValueAtCursor = ({ view, column }: { view: FlightView; column: Measured }) => (
  <output>{measured(column, view.track.value[column][view.row.value])}</output>
);

function describe(view: FlightView, column: Measured): string {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of view.track.value[column]) {
    if (value === null) continue;
    [least, most] = [Math.min(least, value), Math.max(most, value)];
  }
  return text.range(text.columns[column], measured(column, least), measured(column, most));
}
