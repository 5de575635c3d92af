import { useComputed } from "@preact/signals";
import { degrees, NO_VALUE } from "../../../format/units";
import { metresBetween } from "../../../map/features";
import { strings } from "../../../strings";
import { useFlown } from "../context";
import { bearing } from "../map/bearing";
import { attitudeOf } from "./attitude";

const text = strings.fly.instruments;

/** Of the horizon's picture, for each degree of pitch. */
const UNITS_PER_DEGREE = 1.4;
const MARKS = [-30, -20, -10, 10, 20, 30];

/** The artificial horizon: what is seen over the nose. */
export function Horizon() {
  const { state } = useFlown();
  const { imu } = state.newest;
  const attitude = useComputed(() => (imu.value ? attitudeOf(imu.value.value.orientation) : undefined));
  const isOld = useComputed(() => imu.value !== undefined && !state.isFresh(imu.value));
  const turn = useComputed(() => `rotate(${(-(attitude.value?.roll ?? 0)).toFixed(1)})`);
  const shift = useComputed(
    () => `translate(0 ${((attitude.value?.pitch ?? 0) * UNITS_PER_DEGREE).toFixed(1)})`,
  );
  const label = useComputed(() => {
    const { roll, pitch } = attitude.value ?? {};
    return text.attitude(degrees(roll), degrees(pitch));
  });
  return (
    <figure class="dial" data-old={isOld}>
      <svg viewBox="-50 -50 100 100" role="img" aria-label={label}>
        <clipPath id="horizon-round">
          <circle r="48" />
        </clipPath>
        <g clip-path="url(#horizon-round)">
          <g transform={turn}>
            <g transform={shift}>
              <rect x="-120" y="-200" width="240" height="200" class="sky" />
              <rect x="-120" y="0" width="240" height="200" class="earth" />
              <path d="M-120 0H120" class="horizon-line" />
              {MARKS.map((mark) => (
                <path
                  key={mark}
                  d={`M${mark % 20 === 0 ? -14 : -8} ${-mark * UNITS_PER_DEGREE}h${mark % 20 === 0 ? 28 : 16}`}
                  class="pitch-mark"
                />
              ))}
            </g>
            <path d="M0 -47l-4 8h8z" class="roll-pointer" />
          </g>
        </g>
        <path d="M0 -39l-3.5 -7h7z" class="aircraft" />
        <path d="M-26 0h15l5 5M26 0h-15l-5 5" class="aircraft-wings" />
        <circle r="1.8" class="aircraft" />
        <circle r="48" class="rim" />
      </svg>
      <Crossed />
    </figure>
  );
}

/** Metres within which no way leads home. */
const AT_HOME = 3;

/** The compass rose turns under the nose, which points up. The dot leads home. */
export function Compass() {
  const { state } = useFlown();
  const { heading, position } = state;
  const { home } = state.newest;
  const isOld = useComputed(() => heading.value !== undefined && !state.isFresh(heading.value));
  const turn = useComputed(() => `rotate(${-(heading.value?.value ?? 0)})`);
  const shown = useComputed(() => (heading.value ? degrees(heading.value.value) : NO_VALUE));
  const label = useComputed(() => text.heading(shown.value));
  const toHome = useComputed(() => {
    const geo = home.value?.value.geo;
    if (!geo || !position.value) return undefined;
    const at = { lat: geo.latitude, lng: geo.longitude };
    const here = position.value.value;
    return metresBetween(here, at) < AT_HOME ? undefined : `rotate(${bearing(here, at).toFixed(0)})`;
  });
  return (
    <figure class="dial" data-old={isOld}>
      <svg viewBox="-50 -50 100 100" role="img" aria-label={label}>
        <circle r="48" class="rose" />
        <g transform={turn}>
          {Array.from({ length: 36 }, (_, at) => (
            <path
              key={at}
              d={at % 3 === 0 ? "M0 -47v6" : "M0 -47v3"}
              transform={`rotate(${at * 10})`}
              class="tick"
            />
          ))}
          {text.compass.map((name, at) => (
            <text key={at} transform={`rotate(${at * 90}) translate(0 -27)`} class={at === 0 ? "north" : ""}>
              {name}
            </text>
          ))}
          <g transform={toHome}>{toHome.value && <circle cy="-44" r="4.5" class="to-home" />}</g>
        </g>
        <path d="M0 -37l-4.5 -9h9z" class="aircraft" />
        <text y="5" class="heading">
          {shown}
        </text>
        <circle r="48" class="rim" />
      </svg>
      <Crossed />
    </figure>
  );
}

/** Shown over a dial that is old. */
const Crossed = () => (
  <svg viewBox="0 0 100 100" class="crossed" aria-hidden="true">
    <path d="M15 15L85 85M85 15L15 85" />
  </svg>
);
