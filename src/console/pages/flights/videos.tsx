import { useSignal } from "@preact/signals";
import lazy, { ErrorBoundary } from "preact-iso/lazy";
import { strings } from "../../strings";
import type { Asset } from "./flight-data";

const text = strings.flights.videos;

// hls.js is loaded when a video is played.
const VideoPlayer = lazy(() => import("./video-player"));

/** The flight's videos, each played where it stands. */
export function Videos({ assets }: { assets: readonly Asset[] }) {
  const playing = useSignal<number | undefined>(undefined);
  const videos = assets.filter(({ asset_type, status }) => asset_type === "video" && status === "ready");
  if (videos.length === 0) return <p>{text.none}</p>;
  return (
    <ul class="videos">
      {videos.map((video) => (
        <li key={video.id}>
          <p>{video.file_name}</p>
          {playing.value === video.id ? (
            <div class="video-frame">
              <ErrorBoundary>
                <VideoPlayer video={video} />
              </ErrorBoundary>
            </div>
          ) : (
            <div class="video-frame">
              {video.stream === "ready" ? (
                <button
                  type="button"
                  class="primary"
                  onClick={() => {
                    playing.value = video.id;
                  }}
                >
                  {text.play(video.file_name)}
                </button>
              ) : (
                <span>{whyNot(video)}</span>
              )}
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

const whyNot = ({ stream, derivation_failure }: Asset): string =>
  stream === "failed" ? text.unplayable(derivation_failure ?? "") : text.preparing;
