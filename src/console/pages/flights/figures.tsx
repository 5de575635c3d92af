import { clock } from "../../format/time";
import { climbRate, distance, height, percent, speed, voltage } from "../../format/units";
import { strings } from "../../strings";
import type { Analysis } from "./flight-data";
import { measured } from "./over-time/plot-table";

export type Stats = NonNullable<Analysis["stats"]>;

const text = strings.flights.figures;

/** Characters. A longer value gets two places. */
const LONG = 14;

/** The statistics of the log. What it lacks is left out. */
export function Figures({ stats }: { stats: Stats }) {
  const rows = [
    [text.duration, clock(stats.duration_seconds)],
    [text.distance, distance(stats.distance_m)],
    [text.maxAltitude, known(stats.max_altitude_m, height)],
    [text.farthest, known(stats.max_distance_from_home_m, distance)],
    [text.maxSpeed, known(stats.max_speed_ms, speed)],
    [text.meanSpeed, speed(stats.mean_speed_ms)],
    [text.maxClimb, known(stats.max_climb_ms, climbRate)],
    [text.maxDescent, known(stats.max_descent_ms, climbRate)],
    [text.batteryUsed, stats.battery ? used(stats.battery) : undefined],
    [text.minVoltage, known(stats.battery?.min_voltage_v, voltage)],
    [text.satellites, known(stats.gps?.min_satellites, String)],
    [text.vibration, stats.vibration && measured("vibration_ms2", Math.max(...stats.vibration.max))],
    [text.failsafes, known(stats.failsafes, String)],
    [text.vehicle, stats.vehicle ?? undefined],
    [text.modes, stats.modes.map(({ name, seconds }) => `${name} ${clock(seconds)}`).join(", ") || undefined],
  ] as const;
  return (
    <dl class="figures">
      {rows.map(
        ([label, value]) =>
          value && (
            <div key={label} class={value.length > LONG ? "long" : ""}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

const known = (value: number | null | undefined, written: (value: number) => string): string | undefined =>
  value === null || value === undefined ? undefined : written(value);

function used({ used_percent, used_mah }: NonNullable<Stats["battery"]>): string | undefined {
  const parts = [known(used_percent, percent), known(used_mah, text.charge)].filter(Boolean);
  return parts.join(", ") || undefined;
}
