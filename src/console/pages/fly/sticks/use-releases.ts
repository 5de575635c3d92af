import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLive } from "../../../live/context";
import { strings } from "../../../strings";
import type { VehicleState } from "../vehicle-state";
import type { StickLink } from "./stick-link";

const text = strings.fly.sticks.released;

/** Turns the sticks off when the pilot cannot steer or cannot see what the vehicle does, and when the page is left. */
export function useReleases(link: StickLink, state: VehicleState): void {
  const live = useLive();
  useEffect(() => {
    const events = new AbortController();
    const { signal } = events;
    const off = (why: string) => {
      if (link.state.peek() !== "off") link.turnOff(why);
    };
    document.addEventListener("visibilitychange", () => document.hidden && off(text.hidden), { signal });
    addEventListener("blur", () => off(text.focus), { signal });
    addEventListener("pagehide", () => off(text.hidden), { signal });
    addEventListener("offline", () => off(text.network), { signal });
    const endEffect = effect(() => {
      if (live.connection.value === "lost") off(text.network);
      else if (!state.isLive.value) off(text.vehicle);
    });
    return () => {
      events.abort();
      endEffect();
      link.turnOff();
    };
  }, [link, state, live]);
}
