import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { paths } from "../../paths";
import { type Day, isDay } from "./day";
import type { View } from "./day-grid";

/** The selected day and the view. The address has them, so that a reload and a new sign-in show the same. */
export function useShown(today: Day): { readonly day: Signal<Day>; readonly view: Signal<View> } {
  const asked = new URLSearchParams(location.search);
  const askedDay = asked.get("day") ?? "";
  const day = useSignal<Day>(isDay(askedDay) ? askedDay : today);
  const view = useSignal<View>(asked.get("view") === "week" ? "week" : "month");
  useSignalEffect(() => {
    const query = new URLSearchParams({
      ...(view.value === "week" ? { view: "week" } : {}),
      // Without the day the address shows today, tomorrow too.
      ...(day.value === today ? {} : { day: day.value }),
    });
    const address = [paths.calendar, query.toString()].filter((part) => part !== "").join("?");
    history.replaceState(history.state, "", address);
  });
  return { day, view };
}

const MINUTE_MS = 60_000;

/** The time, an instant, once a minute. */
export function useMinute(): Signal<number> {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
