import type { FlightStats } from "../../../flight-log";
import { palette, svgFont } from "./palette";
import { clock, roundTicks, timeTicks } from "./scale";

const WIDTH = 1200;
const HEIGHT = 640;
const BOX = { left: 110, right: WIDTH - 110, top: 96, bottom: HEIGHT - 84 };

/** Altitude and ground speed over the time of flight, each with its own axis. SVG, 1200 × 640. */
export function altitudePlot(series: FlightStats["series"]): string {
  const seconds = Math.max(series.at(-1)?.seconds ?? 0, 1);
  const x = (at: number) => BOX.left + (at / seconds) * (BOX.right - BOX.left);
  const altitudes = points(series, "altitude_m");
  const speeds = points(series, "speed_ms");
  const altitude = axis(altitudes);
  const speed = axis(speeds);
  const line = (of: readonly Point[], y: (value: number) => number) =>
    of.map(({ at, value }, n) => `${n ? "L" : "M"}${round(x(at))} ${round(y(value))}`).join("");
  const climb = line(altitudes, altitude.y);
  const [first, last] = [altitudes[0]?.at ?? 0, altitudes.at(-1)?.at ?? 0];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="${svgFont}">
<rect width="100%" height="100%" fill="${palette.paper}"/>
<defs><linearGradient id="air" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${palette.altitude}" stop-opacity="0.30"/><stop offset="1" stop-color="${palette.altitude}" stop-opacity="0.03"/></linearGradient></defs>
<rect x="${BOX.left}" y="26" width="30" height="14" rx="4" fill="${palette.altitude}"/>${label(BOX.left + 42, 45, "Altitude above home (m)", "start", palette.altitude)}
<rect x="${BOX.right - 30}" y="26" width="30" height="14" rx="4" fill="${palette.speed}"/>${label(BOX.right - 42, 45, "Ground speed (m/s)", "end", palette.speed)}
${altitude.ticks.map((tick) => `<path d="M${BOX.left} ${round(altitude.y(tick))}H${BOX.right}" stroke="${palette.line}" stroke-width="2"/>${label(BOX.left - 16, altitude.y(tick) + 10, String(tick), "end", palette.altitude)}`).join("")}
${speed.ticks.map((tick) => label(BOX.right + 16, speed.y(tick) + 10, String(tick), "start", palette.speed)).join("")}
${timeTicks(seconds, 6)
  .map((tick) => label(x(tick), BOX.bottom + 52, clock(tick), "middle", palette.soft))
  .join("")}
<path d="${climb}L${round(x(last))} ${BOX.bottom}L${round(x(first))} ${BOX.bottom}Z" fill="url(#air)"/>
<path d="${climb}" fill="none" stroke="${palette.altitude}" stroke-width="5" stroke-linejoin="round"/>
<path d="${line(speeds, speed.y)}" fill="none" stroke="${palette.speed}" stroke-width="4" stroke-linejoin="round" opacity="0.9"/>
<path d="M${BOX.left} ${BOX.bottom}H${BOX.right}" stroke="${palette.soft}" stroke-width="3"/>
</svg>`;
}

interface Point {
  readonly at: number;
  readonly value: number;
}

/** The samples with a value, which lines connect. */
const points = (series: FlightStats["series"], of: "altitude_m" | "speed_ms"): Point[] =>
  series.flatMap((sample) => {
    const value = sample[of];
    return value === null ? [] : [{ at: sample.seconds, value }];
  });

/** From zero, or from below it, to a round number above the highest. */
function axis(values: readonly Point[]) {
  let [low, high] = [0, 1];
  for (const { value } of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const ticks = roundTicks(low, high, 5);
  const [from, to] = [ticks[0] as number, ticks.at(-1) as number];
  const y = (value: number) => BOX.bottom - ((value - from) / (to - from)) * (BOX.bottom - BOX.top);
  return { ticks, y };
}

const label = (x: number, y: number, words: string, anchor: string, colour: string): string =>
  `<text x="${round(x)}" y="${round(y)}" font-size="34" fill="${colour}" text-anchor="${anchor}">${words}</text>`;

const round = (value: number): number => Math.round(value * 10) / 10;
