import { effect } from "@preact/signals";
import type { MapLibreMap } from "maplibre-gl";
import { colours } from "./colours";
import { type Graticule, graticule } from "./graticule";

const FONT = "11px sans-serif";
const HALO_WIDTH = 3;
/** A parallel is labelled beside every so-manieth meridian, a meridian between all parallels. */
const BESIDE = 2;

/** What the map shows, in pixels from its upper left corner. */
interface View {
  readonly width: number;
  readonly height: number;
  x(longitude: number): number;
  y(latitude: number): number;
}

/**
 * Draws the plain ground with its graticule below the map, which is north up and flat. It lies on a canvas of its own: as layers
 * of the map it would be laid out and drawn anew for everything that moves on it. Returns what ends that.
 */
export function drawGround(map: MapLibreMap, canvas: HTMLCanvasElement): () => void {
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const draw = () => {
    const { clientWidth: width, clientHeight: height } = map.getContainer();
    // Also clears it.
    canvas.width = width * devicePixelRatio;
    canvas.height = height * devicePixelRatio;
    context.scale(devicePixelRatio, devicePixelRatio);
    context.fillStyle = colours.value.ground;
    context.fillRect(0, 0, width, height);
    const bounds = map.getBounds();
    const lines = graticule({
      west: bounds.getWest(),
      south: bounds.getSouth(),
      east: bounds.getEast(),
      north: bounds.getNorth(),
    });
    const view: View = {
      ...{ width, height },
      x: (longitude) => map.project([longitude, 0]).x,
      y: (latitude) => map.project([0, latitude]).y,
    };
    drawLines(context, view, lines);
    drawLabels(context, view, lines);
  };
  const end = effect(draw);
  map.on("move", draw);
  map.on("resize", draw);
  return () => {
    end();
    map.off("move", draw);
    map.off("resize", draw);
  };
}

function drawLines(context: CanvasRenderingContext2D, view: View, { meridians, parallels }: Graticule): void {
  context.strokeStyle = colours.value.line;
  context.beginPath();
  for (const { at } of meridians) {
    const x = sharp(view.x(at));
    context.moveTo(x, 0);
    context.lineTo(x, view.height);
  }
  for (const { at } of parallels) {
    const y = sharp(view.y(at));
    context.moveTo(0, y);
    context.lineTo(view.width, y);
  }
  context.stroke();
}

function drawLabels(
  context: CanvasRenderingContext2D,
  view: View,
  { step, meridians, parallels }: Graticule,
): void {
  const { ground, text } = colours.value;
  Object.assign(context, { font: FONT, textAlign: "center", textBaseline: "middle", lineJoin: "round" });
  Object.assign(context, { lineWidth: HALO_WIDTH, strokeStyle: ground, fillStyle: text });
  for (const south of parallels)
    for (const { at, label } of meridians)
      write(context, label, view.x(at), view.y(south.at + step / 2), -Math.PI / 2);
  for (const west of meridians) {
    // The same ones whichever are in the window.
    if (Math.round(west.at / step) % BESIDE !== 0) continue;
    for (const { at, label } of parallels) write(context, label, view.x(west.at + step / 2), view.y(at), 0);
  }
}

/** The middle of a pixel, on which a line of one pixel is sharp. */
const sharp = (at: number): number => Math.floor(at) + 0.5;

/** `turn` is in radians. */
function write(context: CanvasRenderingContext2D, text: string, x: number, y: number, turn: number): void {
  context.save();
  context.translate(x, y);
  context.rotate(turn);
  context.strokeText(text, 0, 0);
  context.fillText(text, 0, 0);
  context.restore();
}
