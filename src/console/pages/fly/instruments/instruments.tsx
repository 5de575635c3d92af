import { useComputed } from "@preact/signals";
import { clock } from "../../../format/time";
import { climbRate, degrees, distance, height, NO_VALUE, percent, speed } from "../../../format/units";
import { metresBetween } from "../../../map/features";
import { strings } from "../../../strings";
import { useFlown } from "../context";
import type { Timed, TimedSignal } from "../vehicle-state";
import { Compass, Horizon } from "./dials";
import { Reading } from "./reading";
import "./instruments.css";

const text = strings.fly.instruments;

/** Everything that is measured. */
export function Instruments() {
  const { state } = useFlown();
  const { hud, raw_gps, diagnostics, system, home } = state.newest;
  const toHome: TimedSignal<number> = useComputed(() => {
    const [geo, here] = [home.value?.value.geo, state.position.value];
    if (!geo || !here) return undefined;
    return { ...here, value: metresBetween(here.value, { lat: geo.latitude, lng: geo.longitude }) };
  });
  const gps: TimedSignal<string> = useComputed(() => messageOf("gps", diagnostics.value));
  return (
    <div class="instruments">
      <div class="dials">
        <Horizon />
        <Compass />
      </div>
      <dl class="readings">
        <Movement />
        <Reading label={text.seaHeight} of={hud} show={({ altitude }) => height(altitude, 0)} />
        <Reading label={text.homeDistance} of={toHome} show={distance} />
        <Reading label={text.throttle} of={hud} show={({ throttle }) => percent(throttle)} />
        <Reading label={text.current} of={system} show={({ battery }) => amperes(battery.current)} />
        <Reading label={text.cells} of={system} show={({ battery }) => cells(battery.cells)} />
        <Reading label={text.timeLeft} of={system} show={({ battery }) => timeLeft(battery.time_remaining)} />
        <Reading
          label={text.satellites}
          of={raw_gps}
          show={(gps) => String(gps.satellites_visible ?? NO_VALUE)}
        />
        <Reading label={text.linkQuality} of={system} show={({ link }) => percent(link.quality)} />
        <Reading label={text.wind} of={system} show={({ wind }) => windText(wind)} />
        <Reading label={text.gps} of={gps} show={(message) => message} class="whole long" />
        <Reading
          label={text.estimator}
          of={system}
          show={({ estimator }) => estimator?.message ?? NO_VALUE}
          class="whole"
        />
      </dl>
    </div>
  );
}

/** How high the vehicle is and how fast it moves: what a pilot needs beside the orders. */
export function Movement() {
  const { state } = useFlown();
  const { hud } = state.newest;
  return (
    <>
      <Reading label={text.height} of={state.height} show={(metres) => height(metres)} class="main" />
      <Reading
        label={text.groundSpeed}
        of={hud}
        show={({ groundspeed }) => speed(groundspeed)}
        class="main"
      />
      <Reading label={text.climb} of={hud} show={({ climb }) => climbRate(climb)} class="main climb" />
    </>
  );
}

interface Diagnostics {
  readonly status: readonly { readonly name: string; readonly message: string }[];
}

function messageOf(part: string, timed: Timed<Diagnostics> | undefined): Timed<string> | undefined {
  const row = timed?.value.status.find(({ name }) => name === part);
  return timed && row && { ...timed, value: row.message };
}

const amperes = (value: number | null): string => (value === null ? NO_VALUE : `${value.toFixed(1)} A`);

/** The lowest of the cells and their number. */
const cells = (volts: readonly number[]): string =>
  volts.length === 0 ? NO_VALUE : `${volts.length}× ${Math.min(...volts).toFixed(2)} V`;

const timeLeft = (seconds: number | null): string => (seconds === null ? NO_VALUE : clock(seconds));

const windText = (wind: { speed: number; from: number } | null): string =>
  wind ? `${speed(wind.speed, 0)} ${degrees(wind.from)}` : NO_VALUE;
