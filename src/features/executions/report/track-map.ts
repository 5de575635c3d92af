import type { LatLng } from "../../../domain/geo";
import { palette, svgFont } from "./palette";
import { flatMetres, metres, roundBelow } from "./scale";

const WIDTH = 1200;
const HEIGHT = 860;
const MARGIN = 90;
/** A hover of a few metres must not fill the map. */
const LEAST_SPAN_METRES = 40;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The flown track over a metric grid, north up, with the planned track behind it and its waypoints on top. SVG, 1200 × 860. */
export function trackMap(track: readonly LatLng[], planned: readonly LatLng[]): string {
  const { project, scale } = projection(track, [...track, ...planned]);
  const flown = track.map(project);
  const plan = planned.map(project);
  const start = flown[0] as Point;
  const end = flown.at(-1) as Point;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="${svgFont}">
<rect width="100%" height="100%" fill="${palette.ground}"/>
${grid(scale)}
${plan.length > 1 ? `<path d="${path(plan)}" fill="none" stroke="${palette.planned}" stroke-width="4" stroke-dasharray="2 12" stroke-linecap="round"/>` : ""}
<path d="${path(flown)}" fill="none" stroke="${palette.paper}" stroke-width="13" stroke-linejoin="round" stroke-linecap="round"/>
<path d="${path(flown)}" fill="none" stroke="${palette.track}" stroke-width="7" stroke-linejoin="round" stroke-linecap="round"/>
${plan.map(({ x, y }) => `<circle cx="${x}" cy="${y}" r="7" fill="${palette.paper}" stroke="${palette.ink}" stroke-width="3"/>`).join("")}
${marker(end, palette.end, "square", isNear(start, end) ? LARGE : PLAIN)}
${marker(start, palette.start, "circle")}
${legend(plan.length > 0)}
${scaleBar(scale)}
${northArrow()}
</svg>`;
}

/** Metres to pixels, the same both ways, everything inside the margins and in the middle. */
function projection(track: readonly LatLng[], all: readonly LatLng[]) {
  const origin = track[0] as LatLng;
  const flat = all.map((position) => flatMetres(origin, position));
  const east = extent(flat.map((at) => at.east));
  const north = extent(flat.map((at) => at.north));
  const scale = Math.min(
    (WIDTH - 2 * MARGIN) / Math.max(east.span, LEAST_SPAN_METRES),
    (HEIGHT - 2 * MARGIN - 40) / Math.max(north.span, LEAST_SPAN_METRES),
  );
  const project = (position: LatLng): Point => {
    const at = flatMetres(origin, position);
    return {
      x: round(WIDTH / 2 + (at.east - east.middle) * scale),
      y: round(HEIGHT / 2 - 20 - (at.north - north.middle) * scale),
    };
  };
  return { project, scale };
}

function extent(values: readonly number[]) {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return { span: high - low, middle: (low + high) / 2 };
}

const round = (value: number): number => Math.round(value * 10) / 10;

const path = (points: readonly Point[]): string =>
  points.map(({ x, y }, at) => `${at ? "L" : "M"}${x} ${y}`).join("");

/** The scale bar's length in metres: a round number, a fifth of the width at most. */
const barMetres = (scale: number): number => roundBelow(WIDTH / 5 / scale);

function grid(scale: number): string {
  const step = barMetres(scale) * scale;
  const lines: string[] = [];
  for (let x = (WIDTH / 2) % step; x < WIDTH; x += step) lines.push(`M${round(x)} 0V${HEIGHT}`);
  for (let y = (HEIGHT / 2) % step; y < HEIGHT; y += step) lines.push(`M0 ${round(y)}H${WIDTH}`);
  return `<path d="${lines.join("")}" stroke="${palette.line}" stroke-width="2" fill="none"/>`;
}

/** Half of a marker's width in pixels. The larger one stays visible where a flight ends at its start. */
const PLAIN = 14;
const LARGE = 25;

const isNear = (a: Point, b: Point): boolean => Math.hypot(a.x - b.x, a.y - b.y) < LARGE;

const marker = ({ x, y }: Point, colour: string, shape: "circle" | "square", half = PLAIN): string =>
  shape === "circle"
    ? `<circle cx="${x}" cy="${y}" r="${half + 1}" fill="${colour}" stroke="${palette.paper}" stroke-width="5"/>`
    : `<rect x="${x - half}" y="${y - half}" width="${2 * half}" height="${2 * half}" rx="5" fill="${colour}" stroke="${palette.paper}" stroke-width="5"/>`;

function legend(hasPlan: boolean): string {
  const y = HEIGHT - 34;
  const label = (x: number, text: string) =>
    `<text x="${x}" y="${y + 10}" font-size="34" fill="${palette.text}">${text}</text>`;
  const planned = hasPlan
    ? `<path d="M460 ${y}h60" stroke="${palette.planned}" stroke-width="5" stroke-dasharray="2 12" stroke-linecap="round"/>${label(536, "planned")}`
    : "";
  return `<rect y="${HEIGHT - 72}" width="${WIDTH}" height="72" fill="${palette.paper}" opacity="0.88"/>
${marker({ x: 50, y }, palette.start, "circle")}${label(78, "start")}
${marker({ x: 210, y }, palette.end, "square")}${label(238, "end")}
${planned}`;
}

function scaleBar(scale: number): string {
  const length = barMetres(scale);
  const pixels = length * scale;
  const right = WIDTH - 40;
  const y = HEIGHT - 24;
  return `<path d="M${round(right - pixels)} ${y - 16}v16H${right}v-16" fill="none" stroke="${palette.ink}" stroke-width="4"/>
<text x="${round(right - pixels / 2)}" y="${y - 12}" font-size="32" fill="${palette.ink}" text-anchor="middle">${metres(length)}</text>`;
}

const northArrow = (): string =>
  `<g transform="translate(${WIDTH - 62} 30)"><path d="M0 0L20 50L0 38L-20 50Z" fill="${palette.ink}"/><text y="84" font-size="30" font-weight="bold" fill="${palette.ink}" text-anchor="middle">N</text></g>`;
