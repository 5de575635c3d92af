import { useEffect } from "preact/hooks";

/** Loads again every so many milliseconds, while the tab is visible. Not at all when `everyMs` is undefined. */
export function usePolling(reload: () => Promise<void>, everyMs: number | undefined): void {
  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [reload, everyMs]);
}
