import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { duration } from "../format/time";
import { now } from "../parts/now";
import { useSession } from "../session/context";
import { strings } from "../strings";
import { type Picture, Watching } from "./watching";
import "./video.css";

const text = strings.video;

/** A drone's camera. Fills its container. Video that is on already is shown at once. */
export function Video({ droneId }: { droneId: number }) {
  const { api } = useSession().client;
  const watching = useMemo(() => new Watching(api, droneId), [api, droneId]);
  useEffect(() => {
    watching.open();
    return () => watching.close();
  }, [watching]);
  const frame = useRef<HTMLElement>(null);
  const state = watching.state.value;
  const isOff = state === "off";
  /** The button that was pressed goes or is disabled, and would take the focus with it. */
  const after = (act: () => unknown) => () => {
    act();
    frame.current?.focus();
  };
  return (
    <section ref={frame} tabIndex={-1} class={`video ${state}`} aria-label={text.title}>
      <div class="video-screen">
        <Screen stream={watching.stream.value} />
        <div class="video-note">
          {state === "lost" && <p class="video-lost">{text.lostFor(ageOf(watching))}</p>}
          <p hidden={watching.reason.value === ""}>{watching.reason.value}</p>
          {isOff && (
            <button type="button" class="primary" onClick={after(() => watching.start())}>
              {text.start}
            </button>
          )}
        </div>
      </div>
      <div class="video-bar">
        <p class="video-status">
          <strong role="status">{text.states[state]}</strong>
          {state === "waiting" && <span>{text.waitedFor(ageOf(watching))}</span>}
          {state === "playing" && watching.picture.value && <Figures {...watching.picture.value} />}
        </p>
        <FullScreenButton of={() => frame.current} />
        <button type="button" disabled={isOff} onClick={after(() => watching.stop())}>
          {text.stop}
        </button>
        <button
          type="button"
          disabled={isOff}
          title={text.stopCameraHint}
          onClick={after(() => watching.stopCamera())}
        >
          {text.stopCamera}
        </button>
      </div>
    </section>
  );
}

const ageOf = (watching: Watching): string => duration(now.value - watching.since.value);

const Figures = ({ width, height, rate }: Picture) => (
  <span class="video-figures">{text.picture(width, height, Math.round(rate))}</span>
);

function Screen({ stream }: { stream: MediaStream | undefined }) {
  const element = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (element.current) element.current.srcObject = stream ?? null;
  }, [stream]);
  return <video ref={element} muted autoplay playsInline aria-label={text.title} />;
}

function FullScreenButton({ of }: { of: () => HTMLElement | null }) {
  const isFull = useSignal(false);
  useEffect(() => {
    const look = () => {
      isFull.value = document.fullscreenElement !== null && document.fullscreenElement === of();
    };
    document.addEventListener("fullscreenchange", look);
    return () => document.removeEventListener("fullscreenchange", look);
  }, []);
  if (!document.fullscreenEnabled) return null;
  const label = isFull.value ? text.endFullScreen : text.fullScreen;
  return (
    <button
      type="button"
      class="quiet"
      aria-label={label}
      title={label}
      onClick={() => void (isFull.value ? document.exitFullscreen() : of()?.requestFullscreen())}
    >
      <svg viewBox="0 0 24 24" width="22" height="22" class="line" aria-hidden="true">
        {isFull.value ? (
          <path d="M9 4v5H4M15 4v5h5M9 20v-5H4M15 20v-5h5" />
        ) : (
          <path d="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5" />
        )}
      </svg>
    </button>
  );
}
