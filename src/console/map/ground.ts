import { effect } from "@preact/signals";
import type { MapLibreMap } from "maplibre-gl";
import { colours } from "./colours";
import { graticule } from "./graticule";

const FONT = "11px sans-serif";
const HALO_WIDTH = 3;
/** A line is labelled between every so many of those that cross it: a window shows a label of each whole. */
const [PARALLELS, MERIDIANS] = [1, 2];

/**
 * Draws the plain ground with its graticule below the map, which is north up and flat. It lies on a canvas of its own: as layers
 * of the map it would be laid out and drawn anew for everything that moves on it. Returns what ends that.
 */
export function drawGround(map: MapLibreMap, canvas: HTMLCanvasElement): () => void {
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const draw = () => {
    const { ground, line, text } = colours.value;
    const { clientWidth: width, clientHeight: height } = map.getContainer();
    const ratio = devicePixelRatio;
    // Also clears it.
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    context.scale(ratio, ratio);
    context.fillStyle = ground;
    context.fillRect(0, 0, width, height);

    const bounds = map.getBounds();
    const { step, meridians, parallels } = graticule({
      west: bounds.getWest(),
      south: bounds.getSouth(),
      east: bounds.getEast(),
      north: bounds.getNorth(),
    });
    const x = (longitude: number) => map.project([longitude, 0]).x;
    const y = (latitude: number) => map.project([0, latitude]).y;
    context.strokeStyle = line;
    context.beginPath();
    for (const { at } of meridians) segment(context, [sharp(x(at)), 0], [sharp(x(at)), height]);
    for (const { at } of parallels) segment(context, [0, sharp(y(at))], [width, sharp(y(at))]);
    context.stroke();

    Object.assign(context, { font: FONT, textAlign: "center", textBaseline: "middle", lineJoin: "round" });
    context.lineWidth = HALO_WIDTH;
    context.strokeStyle = ground;
    context.fillStyle = text;
    /** Whether labels stand beside it: the same ones whichever are in the window. */
    const isNth = (at: number, every: number) => Math.round(at / step) % every === 0;
    for (const across of parallels.filter(({ at }) => isNth(at, PARALLELS)))
      for (const { at, label } of meridians)
        write(context, label, x(at), y(across.at + step / 2), -Math.PI / 2);
    for (const across of meridians.filter(({ at }) => isNth(at, MERIDIANS)))
      for (const { at, label } of parallels) write(context, label, x(across.at + step / 2), y(at), 0);
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

/** The middle of a pixel, on which a line of one pixel is sharp. */
const sharp = (at: number): number => Math.floor(at) + 0.5;

function segment(
  context: CanvasRenderingContext2D,
  from: readonly [number, number],
  to: readonly [number, number],
): void {
  context.moveTo(...from);
  context.lineTo(...to);
}

/** `turn` is in radians. */
function write(context: CanvasRenderingContext2D, text: string, x: number, y: number, turn: number): void {
  context.save();
  context.translate(x, y);
  context.rotate(turn);
  context.strokeText(text, 0, 0);
  context.fillText(text, 0, 0);
  context.restore();
}
