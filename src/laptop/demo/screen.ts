import { distance, type LatLng } from "../../domain/geo";
import type { VehicleSnapshot } from "./watch";

export interface Screen {
  /** A step that was taken; stays on the terminal. */
  step(text: string): void;
  /** Where the vehicle is now; replaces the line before on a terminal. */
  show(seen: VehicleSnapshot, home: LatLng): void;
  /** Keep the live line on the terminal. */
  settle(): void;
}

const terminalIntervalMs = 100;
/** A file or a pipe keeps every line, so it gets few. */
const lineIntervalMs = 2_000;

export function screenOn(output: NodeJS.WriteStream): Screen {
  const inPlace = Boolean(output.isTTY);
  let shownAt = 0;
  let live = false;
  const settle = () => {
    if (live) output.write("\n");
    live = false;
  };
  return {
    settle,
    step(text) {
      settle();
      output.write(`${text}\n`);
    },
    show(seen, home) {
      const now = Date.now();
      if (now - shownAt < (inPlace ? terminalIntervalMs : lineIntervalMs)) return;
      shownAt = now;
      if (inPlace) output.write(`\r\x1b[2K${positionLine(seen, home)}`);
      else output.write(`${positionLine(seen, home)}\n`);
      live = inPlace;
    },
  };
}

/** `   AUTO       63 m from home    20.0 m up    9.8 m/s   battery 97 %` */
export function positionLine(seen: VehicleSnapshot, home: LatLng): string {
  const measure = (value: number | null | undefined, digits: number, width: number) =>
    (value === undefined || value === null ? "?" : value.toFixed(digits)).padStart(width);
  const away = seen.position && distance(home, seen.position);
  return [
    `  ${(seen.mode ?? "?").padEnd(9)}`,
    `${measure(away, 0, 4)} m from home`,
    `${measure(seen.altitude, 1, 6)} m up`,
    `${measure(seen.speed, 1, 5)} m/s`,
    `battery ${measure(seen.battery, 0, 3)} %`,
  ].join("  ");
}
