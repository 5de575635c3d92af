import { computed } from "@preact/signals";
import { climbUnit, shortLength, speedUnit, type Unit, withUnit } from "../../../format/units";
import { theme } from "../../../parts/theme";
import type { Measured } from "./track";

interface PlotKind {
  readonly unit: () => Unit;
  /** Behind the point. */
  readonly digits: number;
  /** Whether zero is always shown: what is far from it would look greater than it is. */
  readonly fromZero: boolean;
}

const plain = (name: string) => () => ({ name, factor: 1 });

export const plotKinds: Readonly<Record<Measured, PlotKind>> = {
  altitude_m: { unit: shortLength, digits: 1, fromZero: true },
  speed_ms: { unit: speedUnit, digits: 1, fromZero: true },
  climb_ms: { unit: climbUnit, digits: 1, fromZero: true },
  battery_v: { unit: plain("V"), digits: 2, fromZero: false },
  battery_percent: { unit: plain("%"), digits: 0, fromZero: true },
  battery_a: { unit: plain("A"), digits: 1, fromZero: true },
  satellites: { unit: plain(""), digits: 0, fromZero: true },
  vibration_ms2: { unit: plain("m/s²"), digits: 1, fromZero: true },
};

/** A value of a column in the user's unit: `20.1 m`. */
export function measured(column: Measured, value: number | null | undefined): string {
  const { unit, digits } = plotKinds[column];
  return withUnit(value, unit(), digits);
}

interface PlotColours {
  readonly text: string;
  readonly grid: string;
  readonly line: string;
  readonly fill: string;
  readonly failure: string;
}

const light: PlotColours = {
  ...{ text: "#526070", grid: "#d8dee6", failure: "#b42318" },
  ...{ line: "#0b5fff", fill: "rgb(11 95 255 / 10%)" },
};
const dark: PlotColours = {
  ...{ text: "#9dabbb", grid: "#2e3947", failure: "#ff8a80" },
  ...{ line: "#8ab4ff", fill: "rgb(138 180 255 / 12%)" },
};

/** What uPlot paints with, which reads no custom properties. */
export const plotColours = computed(() => (theme.value === "dark" ? dark : light));
