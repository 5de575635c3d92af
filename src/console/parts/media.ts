import { type ReadonlySignal, signal } from "@preact/signals";

/** Whether the media query holds, such as `(width < 48rem)`. */
function media(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const holds = signal(list.matches);
  list.addEventListener("change", ({ matches }) => {
    holds.value = matches;
  });
  return holds;
}

/** A list and a map have no room beside each other. The styles ask the same. */
export const isNarrow = media("(width < 48rem)");
