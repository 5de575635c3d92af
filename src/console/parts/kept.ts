import { type Signal, signal } from "@preact/signals";

/**
 * A choice of the user's that outlives the tab, and is the same in all: it is kept in `localStorage`. `read` returns
 * undefined for a text that is no such value.
 */
export function kept<Value extends string>(
  name: string,
  initial: Value,
  read: (text: string) => Value | undefined,
): Signal<Value> {
  const value = signal(read(localStorage.getItem(name) ?? "") ?? initial);
  value.subscribe((chosen) => {
    if (chosen !== initial || localStorage.getItem(name) !== null) localStorage.setItem(name, chosen);
  });
  addEventListener("storage", ({ key, newValue }) => {
    if (key === name) value.value = read(newValue ?? "") ?? initial;
  });
  return value;
}
