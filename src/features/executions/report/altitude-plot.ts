import type { Moment } from "./flight-summary";
import { palette, svgFont } from "./palette";
import { clock, roundTicks, timeTicks } from "./scale";

const WIDTH = 1200;
const HEIGHT = 640;
const BOX = { left: 96, right: WIDTH - 96, top: 92, bottom: HEIGHT - 76 };

/** Altitude and ground speed over the time of flight, each with its own axis. SVG, 1200 × 640. */
export function altitudePlot(series: readonly Moment[]): string {
  const seconds = Math.max(series.at(-1)?.seconds ?? 0, 1);
  const x = (at: number) => BOX.left + (at / seconds) * (BOX.right - BOX.left);
  const altitude = axis(series.map((moment) => moment.altitude));
  const speed = axis(series.map((moment) => moment.speed));
  const line = (value: (moment: Moment) => number, y: (value: number) => number) =>
    series
      .map((moment, at) => `${at ? "L" : "M"}${round(x(moment.seconds))} ${round(y(value(moment)))}`)
      .join("");
  const climb = line((moment) => moment.altitude, altitude.y);
  const last = series.at(-1)?.seconds ?? 0;
  const text = (at: number, y: number, words: string, anchor: string, colour: string = palette.soft) =>
    `<text x="${round(at)}" y="${round(y)}" font-size="28" fill="${colour}" text-anchor="${anchor}">${words}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="${svgFont}">
<rect width="100%" height="100%" fill="${palette.paper}"/>
<defs><linearGradient id="air" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${palette.altitude}" stop-opacity="0.30"/><stop offset="1" stop-color="${palette.altitude}" stop-opacity="0.03"/></linearGradient></defs>
<rect x="${BOX.left}" y="26" width="30" height="14" rx="4" fill="${palette.altitude}"/>${text(BOX.left + 42, 44, "Altitude above home (m)", "start", palette.altitude)}
<rect x="${BOX.right - 30}" y="26" width="30" height="14" rx="4" fill="${palette.speed}"/>${text(BOX.right - 42, 44, "Ground speed (m/s)", "end", palette.speed)}
${altitude.ticks.map((tick) => `<path d="M${BOX.left} ${round(altitude.y(tick))}H${BOX.right}" stroke="${palette.line}" stroke-width="2"/>${text(BOX.left - 16, altitude.y(tick) + 10, String(tick), "end", palette.altitude)}`).join("")}
${speed.ticks.map((tick) => text(BOX.right + 16, speed.y(tick) + 10, String(tick), "start", palette.speed)).join("")}
${timeTicks(seconds, 6)
  .map((tick) => text(x(tick), BOX.bottom + 46, clock(tick), "middle"))
  .join("")}
<path d="${climb}L${round(x(last))} ${BOX.bottom}L${BOX.left} ${BOX.bottom}Z" fill="url(#air)"/>
<path d="${climb}" fill="none" stroke="${palette.altitude}" stroke-width="5" stroke-linejoin="round"/>
<path d="${line((moment) => moment.speed, speed.y)}" fill="none" stroke="${palette.speed}" stroke-width="4" stroke-linejoin="round" opacity="0.9"/>
<path d="M${BOX.left} ${BOX.bottom}H${BOX.right}" stroke="${palette.soft}" stroke-width="3"/>
</svg>`;
}

/** From zero, or from below it, to a round number above the highest. */
function axis(values: readonly number[]) {
  let [low, high] = [0, 1];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const ticks = roundTicks(low, high, 5);
  const [from, to] = [ticks[0] as number, ticks.at(-1) as number];
  const y = (value: number) => BOX.bottom - ((value - from) / (to - from)) * (BOX.bottom - BOX.top);
  return { ticks, y };
}

const round = (value: number): number => Math.round(value * 10) / 10;
