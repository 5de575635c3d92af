import { useSignal } from "@preact/signals";
import Hls from "hls.js/light";
import { useEffect, useRef } from "preact/hooks";
import { Failure } from "../../parts/loaded";
import { useSession } from "../../session/context";
import { strings } from "../../strings";
import type { Asset } from "./flight-data";

const text = strings.flights.videos;

/** Plays a video's HLS playlist. The playlist needs our token; its segments are presigned, and the store takes no token. */
export default function VideoPlayer({ video: { id, drone_id, file_name } }: { video: Asset }) {
  const { client } = useSession();
  const element = useRef<HTMLVideoElement>(null);
  const failure = useSignal("");
  const tries = useSignal(0);

  useEffect(() => {
    if (!Hls.isSupported()) {
      failure.value = text.unsupported;
      return;
    }
    failure.value = "";
    const playlist = `${client.origin}/api/v1/assets/${drone_id}/video/${id}`;
    const player = new Hls({
      // The page's policy admits no worker of a blob.
      enableWorker: false,
      xhrSetup: (request, url) => {
        if (url === playlist) request.setRequestHeader("Authorization", `Bearer ${client.accessToken}`);
      },
    });
    player.on(Hls.Events.ERROR, (_, { fatal }) => {
      if (fatal) failure.value = text.failed;
    });
    // One that is about to expire would be refused.
    void client
      .refreshTokens()
      .catch(() => undefined)
      .then(() => {
        player.loadSource(playlist);
        if (element.current) player.attachMedia(element.current);
      });
    return () => player.destroy();
  }, [client, id, drone_id, tries.value]);

  return (
    <>
      <video ref={element} controls autoplay playsinline muted aria-label={file_name} />
      <Failure
        text={failure.value}
        retry={() => {
          tries.value += 1;
        }}
      />
    </>
  );
}
