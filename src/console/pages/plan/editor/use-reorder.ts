import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

/** Pixels from an edge of the list within which it scrolls under a dragged row, and pixels a frame. */
const EDGE = 40;
const SCROLL = 12;

interface Reorder {
  /** The index of the row that is dragged. */
  readonly from: ReadonlySignal<number | undefined>;
  /** Where it would go: above the row of that index. */
  readonly gap: ReadonlySignal<number | undefined>;
  /** For the handle of the row at the index. */
  readonly handle: (index: number) => object;
}

/** Rows of one height that are dragged by a handle, with a mouse, a pen or a finger. Escape ends it without a move. */
export function useReorder(
  box: { readonly current: HTMLElement | null },
  count: number,
  rowHeight: number,
  onMove: (from: number, to: number) => void,
): Reorder {
  const from = useSignal<number | undefined>(undefined);
  const gap = useSignal<number | undefined>(undefined);
  const pointer = useRef(0);
  const frame = useRef(0);

  const end = () => {
    cancelAnimationFrame(frame.current);
    from.value = undefined;
    gap.value = undefined;
  };
  const follow = () => {
    const element = box.current;
    if (!element) return;
    const { top, bottom } = element.getBoundingClientRect();
    if (pointer.current < top + EDGE) element.scrollTop -= SCROLL;
    else if (pointer.current > bottom - EDGE) element.scrollTop += SCROLL;
    const within = pointer.current - top + element.scrollTop;
    gap.value = Math.max(0, Math.min(count, Math.round(within / rowHeight)));
    frame.current = requestAnimationFrame(follow);
  };
  const drop = () => {
    const [start, to] = [from.value, gap.value];
    end();
    if (start === undefined || to === undefined) return;
    // The row itself is no longer above its gap.
    const target = to > start ? to - 1 : to;
    if (target !== start) onMove(start, target);
  };
  useEffect(() => {
    const cancel = ({ key }: KeyboardEvent) => key === "Escape" && end();
    addEventListener("keydown", cancel);
    return () => {
      removeEventListener("keydown", cancel);
      end();
    };
  }, []);

  const handle = (index: number) => ({
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      event.preventDefault();
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      pointer.current = event.clientY;
      from.value = index;
      follow();
    },
    onPointerMove: (event: PointerEvent) => {
      pointer.current = event.clientY;
    },
    onPointerUp: drop,
    onPointerCancel: end,
  });
  return { from, gap, handle };
}
