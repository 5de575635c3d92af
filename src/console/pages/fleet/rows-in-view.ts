import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { RefCallback } from "preact";
import { useCallback, useRef } from "preact/hooks";

interface Rows {
  readonly first: number;
  readonly count: number;
}

/** Rows above and below those in view, so that a scroll shows no gap. */
const SPARE = 4;

/** Of rows of one height in a scroller, those that are in view. */
export function useRowsInView(rowRem: number): {
  readonly scroller: RefCallback<HTMLElement>;
  readonly rows: ReadonlySignal<Rows>;
  /** Scrolls as little as needed to show the row. */
  readonly reveal: (index: number) => void;
} {
  const rows = useSignal<Rows>({ first: 0, count: 24 });
  const element = useRef<HTMLElement | null>(null);
  const end = useRef(() => {});
  const rowHeight = () => rowRem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

  const scroller = useCallback((scroller: HTMLElement | null) => {
    end.current();
    element.current = scroller;
    if (!scroller) return;
    const look = () => {
      const height = rowHeight();
      const first = Math.max(0, Math.floor(scroller.scrollTop / height) - SPARE);
      const count = Math.ceil(scroller.clientHeight / height) + 2 * SPARE;
      const before = rows.peek();
      if (before.first !== first || before.count !== count) rows.value = { first, count };
    };
    const resized = new ResizeObserver(look);
    resized.observe(scroller);
    scroller.addEventListener("scroll", look, { passive: true });
    end.current = () => {
      resized.disconnect();
      scroller.removeEventListener("scroll", look);
    };
  }, []);

  const reveal = useCallback((index: number) => {
    const scroller = element.current;
    if (!scroller) return;
    const height = rowHeight();
    const top = index * height;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + height > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = top + height - scroller.clientHeight;
  }, []);

  return { scroller, rows, reveal };
}
