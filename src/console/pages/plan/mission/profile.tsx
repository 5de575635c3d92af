import { type Signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { distance, height, shortLength } from "../../../format/units";
import { strings } from "../../../strings";
import { type ProfilePoint, profileOf } from "./route";
import { frames, type Row } from "./row";
import "./profile.css";

interface ProfileProps {
  readonly rows: readonly Row[];
  readonly selected: Signal<number | undefined>;
}

const text = strings.plan.profile;

function aboveWhat(frame: number): string {
  const names = strings.plan.row.frames;
  const known: Readonly<Record<number, string>> = {
    [frames.sea]: names.sea,
    [frames.home]: names.home,
    [frames.terrain]: names.terrain,
  };
  return known[frame] ?? names.other(frame);
}

const MARGIN = { left: 52, right: 14, top: 12, bottom: 22 };
/** Points beyond which the profile is a line alone. */
const MOST_DOTS = 150;

/** The heights along the way. A tap selects the nearest row. */
export function AltitudeProfile({ rows, selected }: ProfileProps) {
  const box = useRef<HTMLDivElement>(null);
  const size = useSignal({ width: 600, height: 130 });
  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement;
    const observer = new ResizeObserver(() => {
      size.value = { width: element.clientWidth, height: element.clientHeight };
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const profile = profileOf(rows);
  const { points, others } = profile;
  const { width, height: tall } = size.value;
  const scale = scaleOf(points, width, tall);
  const at = points.find(({ key }) => key === selected.value);

  const select = ({ clientX, currentTarget }: MouseEvent) => {
    const { left } = (currentTarget as Element).getBoundingClientRect();
    const x = clientX - left;
    const nearest = points.reduce<ProfilePoint | undefined>(
      (best, point) =>
        best && Math.abs(scale.x(best.at) - x) <= Math.abs(scale.x(point.at) - x) ? best : point,
      undefined,
    );
    if (nearest) selected.value = nearest.key;
  };

  return (
    <figure class="profile">
      <figcaption>
        {text.title(aboveWhat(profile.frame))}
        {others > 0 && <span class="caution"> {text.others(others)}</span>}
      </figcaption>
      <div ref={box} class="profile-plot">
        {points.length < 2 ? (
          <p>{text.none}</p>
        ) : (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list of rows is the keyboard's way.
          <svg role="img" aria-label={summary(points)} width={width} height={tall} onClick={select}>
            {scale.ticks.map((metres) => (
              <g key={metres}>
                <line
                  class="grid"
                  x1={MARGIN.left}
                  x2={width - MARGIN.right}
                  y1={scale.y(metres)}
                  y2={scale.y(metres)}
                />
                <text x={MARGIN.left - 6} y={scale.y(metres) + 4} text-anchor="end">
                  {height(metres, 0)}
                </text>
              </g>
            ))}
            <path class="ground" d={`${path(points, scale)} V${tall - MARGIN.bottom} H${scale.x(0)} Z`} />
            <path class="heights" d={path(points, scale)} />
            {points.length <= MOST_DOTS &&
              points.map(({ key, at, altitude }) => (
                <circle key={key} cx={scale.x(at)} cy={scale.y(altitude)} r={3.5} />
              ))}
            {at && (
              <>
                <line
                  class="selected"
                  x1={scale.x(at.at)}
                  x2={scale.x(at.at)}
                  y1={MARGIN.top}
                  y2={tall - MARGIN.bottom}
                />
                <circle class="selected" cx={scale.x(at.at)} cy={scale.y(at.altitude)} r={6} />
              </>
            )}
            <text x={width - MARGIN.right} y={tall - 6} text-anchor="end">
              {distance(points.at(-1)?.at)}
            </text>
            <text x={MARGIN.left} y={tall - 6}>
              0
            </text>
          </svg>
        )}
      </div>
    </figure>
  );
}

interface Scale {
  readonly x: (metres: number) => number;
  readonly y: (metres: number) => number;
  readonly ticks: readonly number[];
}

function scaleOf(points: readonly ProfilePoint[], width: number, tall: number): Scale {
  let [low, high] = [0, 0];
  for (const { altitude } of points) [low, high] = [Math.min(low, altitude), Math.max(high, altitude)];
  // Two lines in the user's unit, at round numbers.
  const { factor } = shortLength();
  const step = roundStep(Math.max(1, (high - low) * factor) / 2) / factor;
  const ticks = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + step * 0.01; tick += step) ticks.push(tick);
  const span = Math.max(high - low, step);
  const length = Math.max(1, points.at(-1)?.at ?? 1);
  return {
    x: (metres) => MARGIN.left + (metres / length) * (width - MARGIN.left - MARGIN.right),
    y: (metres) => tall - MARGIN.bottom - ((metres - low) / span) * (tall - MARGIN.top - MARGIN.bottom),
    ticks,
  };
}

/** 1, 2 or 5 times a power of ten, at least this. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power;
}

const path = (points: readonly ProfilePoint[], { x, y }: Scale): string =>
  points
    .map(({ at, altitude }, index) => `${index ? "L" : "M"}${x(at).toFixed(1)} ${y(altitude).toFixed(1)}`)
    .join("");

function summary(points: readonly ProfilePoint[]): string {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { altitude } of points) [low, high] = [Math.min(low, altitude), Math.max(high, altitude)];
  return text.summary(height(low, 0), height(high, 0), distance(points.at(-1)?.at));
}
