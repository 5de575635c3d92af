import { effect } from "@preact/signals";
import uPlot from "uplot";
import { clock } from "../../../format/time";
import type { FlightView } from "./flight-view";
import { plotColours, plotKinds } from "./plot-table";
import type { Measured, Track } from "./track";

/** Pixels beside the plotted area; `over-time.css` has them for the bar of modes. */
const LEFT = 52;
const RIGHT = 12;
const HEIGHT = 116;
const FONT = "12px system-ui, sans-serif";
/** Seconds between two times below a plot. */
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400];

/**
 * Draws a column of the flight's track, and keeps it as the view is: data, span and cursor, which the pointer moves. Returns
 * what ends that. It is drawn anew when theme or units change.
 */
export function drawPlot(host: HTMLElement, view: FlightView, column: Measured): () => void {
  const valuesOf = (track: Track): uPlot.AlignedData => {
    const { factor } = plotKinds[column].unit();
    return [track.seconds, track[column].map((value) => (value === null ? null : value * factor))];
  };
  return effect(() => {
    const plot = new uPlot(
      { ...optionsOf(view, column), width: Math.max(1, host.clientWidth), height: HEIGHT },
      valuesOf(view.track.peek()),
      host,
    );
    const ends = [
      effect(() => plot.setData(valuesOf(view.track.value), false)),
      effect(() => {
        view.track.value;
        const [min, max] = view.span.value;
        plot.setScale("x", { min, max });
      }),
      effect(() => showCursor(plot, view.time.value)),
      followSize(plot, host),
      followPointer(plot, view),
    ];
    return () => {
      for (const end of ends) end();
      plot.destroy();
    };
  });
}

function optionsOf(view: FlightView, column: Measured): Omit<uPlot.Options, "width" | "height"> {
  const { text, grid, line, fill } = plotColours.value;
  const axis = { stroke: text, font: FONT, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  return {
    legend: { show: false },
    padding: [6, RIGHT, 0, 0],
    scales: { x: { time: false }, y: { range: rangeOf(column) } },
    axes: [
      { ...axis, size: 24, gap: 4, space: 64, incrs: TIME_STEPS, values: (_, splits) => splits.map(clock) },
      { ...axis, size: LEFT, gap: 6, space: 28 },
    ],
    series: [{}, { stroke: line, fill, width: 1.5, points: { show: false } }],
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: 8 },
      points: { size: 8, stroke: line, fill: line },
      // It stays where it was last.
      bind: { mouseleave: () => () => null, dblclick: () => () => void view.showWhole() as unknown as null },
    },
    hooks: {
      // Where it is depends on what is shown, which uPlot decides after it was made.
      setScale: [(plot) => showCursor(plot, view.time.peek())],
      setSelect: [(plot) => zoomToSelection(plot, view)],
      draw: [(plot) => drawFailures(plot, view)],
    },
  };
}

/** uPlot's range with a margin; with zero in it where the kind of plot wants that. */
function rangeOf(column: Measured): uPlot.Range.Function {
  return (_, least, most) => {
    if (least === null || most === null) return [0, 1];
    const [low, high] = plotKinds[column].fromZero ? [Math.min(0, least), Math.max(1, most)] : [least, most];
    return uPlot.rangeNum(low, high, 0.1, true);
  };
}

function zoomToSelection(plot: uPlot, view: FlightView): void {
  const { left, width } = plot.select;
  if (width <= 0) return;
  view.show([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

function showCursor(plot: uPlot, seconds: number): void {
  const left = plot.valToPos(seconds, "x");
  const isShown = left >= 0 && left <= plot.over.clientWidth;
  plot.setCursor(isShown ? { left, top: 0 } : { left: -10, top: -10 }, false);
}

/** A line where a failsafe began or an error was written. */
function drawFailures(plot: uPlot, view: FlightView): void {
  const { ctx, bbox } = plot;
  const [from, to] = view.span.peek();
  ctx.save();
  ctx.strokeStyle = plotColours.peek().failure;
  ctx.lineWidth = uPlot.pxRatio;
  ctx.beginPath();
  for (const { seconds, severity } of view.track.peek().messages) {
    const isFailure = severity === "error" || severity === "failsafe";
    if (!isFailure || seconds < from || seconds > to) continue;
    const x = plot.valToPos(seconds, "x", true);
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}

function followSize(plot: uPlot, host: HTMLElement): () => void {
  const observer = new ResizeObserver(() => {
    if (host.clientWidth > 0 && host.clientWidth !== plot.width)
      plot.setSize({ width: host.clientWidth, height: HEIGHT });
  });
  observer.observe(host);
  return () => observer.disconnect();
}

/** Mouse and finger move the cursor. uPlot's own hook knows no finger, and runs when the data changes, too. */
function followPointer(plot: uPlot, view: FlightView): () => void {
  const move = ({ clientX }: PointerEvent) =>
    view.pointTo(plot.posToIdx(clientX - plot.over.getBoundingClientRect().left));
  plot.over.addEventListener("pointerdown", move);
  plot.over.addEventListener("pointermove", move);
  return () => {
    plot.over.removeEventListener("pointerdown", move);
    plot.over.removeEventListener("pointermove", move);
  };
}
