import { type ReadonlySignal, signal } from "@preact/signals";

/** Whether the media query holds, such as `(width < 48rem)`. */
export function media(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query);
  const holds = signal(list.matches);
  list.addEventListener("change", ({ matches }) => {
    holds.value = matches;
  });
  return holds;
}
