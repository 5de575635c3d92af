import { createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";
import type { Frame, Live, Stream } from "./live";

export const LiveContext = createContext<Live | undefined>(undefined);

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error("There is no LiveContext above this component.");
  return live;
}

/** Keeps `live.fleet` up to date while the component is shown. */
export function useFleet(): Live["fleet"] {
  const live = useLive();
  useEffect(() => live.watchFleet(), [live]);
  return live.fleet;
}

/** Calls the listener for each frame of the drone while the component is shown. */
export function useTelemetry(droneId: number, stream: Stream, listener: (frame: Frame) => void): void {
  const live = useLive();
  useEffect(() => live.watch(droneId, stream, listener), [live, droneId, stream]);
}
