/** A lithium battery that sags with its charge. Mutated by `drain`. */
export interface Battery {
  /** Milliampere-hours used since full. */
  used: number;
  readonly capacity: number;
  readonly cells: number;
  volts: number;
  amperes: number;
}

const FULL_CELL = 4.2;
const EMPTY_CELL = 3.3;
const SAG_PER_AMPERE = 0.001;

export function freshBattery(capacity: number, cells: number): Battery {
  return { used: 0, capacity, cells, volts: FULL_CELL * cells, amperes: 0 };
}

export const remaining = ({ used, capacity }: Battery): number => Math.max(0, 1 - used / capacity);

/** Draw `amperes` for `seconds` of the vehicle's time. */
export function drain(battery: Battery, amperes: number, seconds: number): void {
  battery.amperes = amperes;
  battery.used = Math.min(battery.capacity, battery.used + (amperes * seconds * 1000) / 3600);
  const cell = EMPTY_CELL + (FULL_CELL - EMPTY_CELL) * remaining(battery) - SAG_PER_AMPERE * amperes;
  battery.volts = cell * battery.cells;
}

const CHARGE_SECONDS = 1800;
const IDLE_AMPERES = 0.8;

/** Rest for `seconds`, from empty to full in half an hour; the electronics still draw their current. */
export function charge(battery: Battery, seconds: number): void {
  battery.used = Math.max(0, battery.used - (battery.capacity * seconds) / CHARGE_SECONDS);
  drain(battery, IDLE_AMPERES, 0);
}
