import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { strings } from "../../../strings";
import { useReorder } from "./use-reorder";
import "./row-list.css";

interface Keyed {
  readonly key: number;
}

interface RowListProps<Item extends Keyed> {
  readonly label: string;
  readonly items: readonly Item[];
  /** The key of the selected item. */
  readonly selected: Signal<number | undefined>;
  readonly onMove: (from: number, to: number) => void;
  readonly onDelete: (key: number) => void;
  /** What a row shows: phrasing content. */
  readonly children: (item: Item, index: number) => ComponentChildren;
}

/** Of `row-list.css`: the height of a row in pixels. A list of thousands renders those that are seen. */
export const ROW_HEIGHT = 48;
/** Rows that are rendered above and below the window. */
const MARGIN = 6;

const text = strings.plan.rows;

/**
 * Rows in order, one of them selected. By keyboard: arrows, Home and End select, with Alt they move the row, Delete deletes
 * it. By pointer: the handle moves a row.
 */
export function RowList<Item extends Keyed>(props: RowListProps<Item>) {
  const { label, items, selected, onMove, onDelete, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const view = useView(box);
  const reorder = useReorder(box, items.length, ROW_HEIGHT, onMove);
  const at = items.findIndex(({ key }) => key === selected.value);
  useFollow(box, at, selected);

  const first = Math.max(0, Math.floor(view.value.top / ROW_HEIGHT) - MARGIN);
  const last = Math.min(items.length, Math.ceil((view.value.top + view.value.height) / ROW_HEIGHT) + MARGIN);
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  // The keyboard goes on from the selected row, and a dragged one keeps the pointer.
  const entry = Math.max(at, 0);
  for (const index of [entry, reorder.from.value])
    if (index !== undefined && index < items.length && !shown.includes(index)) shown.push(index);

  const onKeyDown = (event: KeyboardEvent) => {
    const to = targetOf(event.key, entry, items.length);
    const item = items[entry];
    if (to !== undefined && items[to]) {
      event.preventDefault();
      if (!event.altKey) selected.value = items[to].key;
      else if (at >= 0) onMove(at, to);
    } else if ((event.key === "Delete" || event.key === "Backspace") && at >= 0 && item) {
      event.preventDefault();
      onDelete(item.key);
    }
  };

  return (
    <div ref={box} class="row-list">
      <ol aria-label={label} style={{ height: `${items.length * ROW_HEIGHT}px` }} onKeyDown={onKeyDown}>
        {shown.map((index) => {
          const item = items[index] as Item;
          const isSelected = index === at;
          return (
            <li
              key={item.key}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              class={reorder.from.value === index ? "moved" : undefined}
              style={{ transform: `translateY(${index * ROW_HEIGHT}px)` }}
            >
              <span class="row-handle" aria-hidden="true" title={text.handle} {...reorder.handle(index)}>
                <svg viewBox="0 0 24 24" width="18" height="18" class="line" aria-hidden="true">
                  <path d="M9 6v.01M15 6v.01M9 12v.01M15 12v.01M9 18v.01M15 18v.01" />
                </svg>
              </span>
              <button
                type="button"
                class="row"
                aria-current={isSelected ? "true" : undefined}
                tabIndex={index === entry ? 0 : -1}
                onClick={() => {
                  selected.value = item.key;
                }}
              >
                {children(item, index)}
              </button>
            </li>
          );
        })}
        {reorder.gap.value !== undefined && (
          <li
            class="row-gap"
            aria-hidden="true"
            style={{ transform: `translateY(${reorder.gap.value * ROW_HEIGHT}px)` }}
          />
        )}
      </ol>
    </div>
  );
}

function targetOf(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case "ArrowUp":
      return Math.max(0, at - 1);
    case "ArrowDown":
      return Math.min(count - 1, at + 1);
    case "PageUp":
      return Math.max(0, at - 10);
    case "PageDown":
      return Math.min(count - 1, at + 10);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return undefined;
  }
}

/** The part of the list that is seen, in pixels. */
function useView(box: {
  readonly current: HTMLDivElement | null;
}): ReadonlySignal<{ top: number; height: number }> {
  const view = useSignal({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement;
    const look = () => {
      view.value = { top: element.scrollTop, height: element.clientHeight };
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  return view;
}

/** Brings the selected row into view and, where the keyboard is in the list, the focus to it. */
function useFollow(
  box: { readonly current: HTMLDivElement | null },
  at: number,
  selected: ReadonlySignal<number | undefined>,
): void {
  useEffect(() => {
    const element = box.current;
    if (!element || at < 0) return;
    const [top, bottom] = [at * ROW_HEIGHT, (at + 1) * ROW_HEIGHT];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight)
      element.scrollTop = bottom - element.clientHeight;
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && element.contains(activeElement))
      element.querySelector<HTMLElement>(".row[aria-current]")?.focus({ preventScroll: true });
  }, [at, selected.value]);
}
