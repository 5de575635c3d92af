import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { duration } from "../format/time";
import { useLive } from "../live/context";
import { now } from "../parts/now";
import { strings } from "../strings";

const text = strings.connection;

/** Lies over the page, so that nothing below it moves. */
export function ConnectionBanner() {
  const live = useLive();
  const isOffline = useOffline();
  if (live.connection.value !== "lost") return null;
  const age = duration(now.value - live.lostAt.value);
  return (
    <p role="alert" class="banner">
      {isOffline ? text.offline(age) : text.lost(age)}
    </p>
  );
}

function useOffline(): boolean {
  const isOffline = useSignal(!navigator.onLine);
  useEffect(() => {
    const look = () => {
      isOffline.value = !navigator.onLine;
    };
    addEventListener("online", look);
    addEventListener("offline", look);
    return () => {
      removeEventListener("online", look);
      removeEventListener("offline", look);
    };
  }, []);
  return isOffline.value;
}
