import { useEffect, useRef } from "preact/hooks";

/** Calls `act` again so many milliseconds after it ended, while the tab is visible. Undefined: not any more. */
export function useRepeated(act: () => Promise<unknown>, everyMs: number | undefined): void {
  const newest = useRef(act);
  newest.current = act;
  useEffect(() => {
    if (everyMs === undefined) return;
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const wait = () => {
      if (!isOver) timer = setTimeout(again, everyMs);
    };
    const again = () => {
      if (document.hidden) wait();
      else void newest.current().finally(wait);
    };
    wait();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [everyMs]);
}
