import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { clock, localTimeOfDay } from "../../../format/time";
import { strings } from "../../../strings";
import type { FlightView } from "./flight-view";
import { measured } from "./plot-table";
import { lastRow } from "./track";

const text = strings.flights.overTime;

/** Times as fast as life. */
const REPLAY_SPEED = 10;
const ZOOM = 2;

interface ScrubberProps {
  readonly view: FlightView;
  /** Milliseconds since 1970; undefined when the log does not say. */
  readonly began: number | undefined;
  readonly isLive: boolean;
}

/** The moment that is looked at, and what moves it: a slider, a replay. The slider is the keyboard's way to the plots. */
export function Scrubber({ view, began, isLive }: ScrubberProps) {
  const { track, row, time, mode } = view;
  const seconds = time.value;
  return (
    <div class="scrubber">
      <div class="moment">
        <strong>{clock(seconds)}</strong>
        {began !== undefined && <time>{localTimeOfDay(began + seconds * 1_000)}</time>}
        <span class="mode">{mode.value ?? text.noMode}</span>
      </div>
      <input
        type="range"
        aria-label={text.time}
        aria-valuetext={text.at(
          clock(seconds),
          mode.value ?? text.noMode,
          measured("altitude_m", track.value.altitude_m[row.value]),
        )}
        min={0}
        max={lastRow(track.value)}
        value={row.value}
        onInput={({ currentTarget }) => view.pointTo(Number(currentTarget.value))}
      />
      <div class="actions">
        {isLive ? <NewestButton view={view} /> : <ReplayButton view={view} />}
        <button type="button" onClick={() => view.zoom(1 / ZOOM)}>
          {text.zoomIn}
        </button>
        <button type="button" disabled={!view.isZoomed} onClick={() => view.zoom(ZOOM)}>
          {text.zoomOut}
        </button>
        <button type="button" disabled={!view.isZoomed} onClick={() => view.showWhole()}>
          {text.whole}
        </button>
      </div>
    </div>
  );
}

/** Follows the vehicle again. */
const NewestButton = ({ view }: { view: FlightView }) => (
  <button
    type="button"
    disabled={view.cursor.value === undefined}
    onClick={() => {
      view.cursor.value = undefined;
    }}
  >
    {text.newest}
  </button>
);

function ReplayButton({ view }: { view: FlightView }) {
  const isPlaying = useSignal(false);
  useEffect(() => {
    if (!isPlaying.value) return;
    const end = view.whole.peek()[1];
    const from = view.cursor.peek() ?? end;
    // At its end it begins anew.
    const start = from >= end ? view.whole.peek()[0] : from;
    const started = performance.now();
    let frame = requestAnimationFrame(function step(now) {
      const at = start + ((now - started) / 1_000) * REPLAY_SPEED;
      view.cursor.value = Math.min(at, end);
      if (at < end) frame = requestAnimationFrame(step);
      else isPlaying.value = false;
    });
    return () => cancelAnimationFrame(frame);
  }, [view, isPlaying.value]);
  return (
    <button
      type="button"
      class="play"
      onClick={() => {
        isPlaying.value = !isPlaying.value;
      }}
    >
      {isPlaying.value ? text.pause : text.play}
    </button>
  );
}
