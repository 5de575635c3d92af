import { signal } from "@preact/signals";

const TICK_MS = 500;

/** Milliseconds of `performance.now()`, twice a second: what shows an age reads it. */
export const now = signal(performance.now());

setInterval(() => {
  now.value = performance.now();
}, TICK_MS);
