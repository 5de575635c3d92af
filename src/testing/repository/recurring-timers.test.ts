import { hasRecurringTimer } from "./recurring-timers";

test.each([
  ["an interval", "setInterval(look, 1_000);"],
  [
    "an interval by another name",
    'import { setInterval as every } from "node:timers/promises"; for await (const _ of every(9)) look();',
  ],
  ["a timeout that sets itself again", "function again() { look(); setTimeout(again, 1_000); }"],
  [
    "one that does after what it waited for",
    "const again = () => { timer = setTimeout(() => void look().finally(again), 1_000); };",
  ],
  [
    "one of a class that does by way of another method",
    "class A { start() { this.t = setTimeout(() => void this.look(), 9); } async look() { await 1; this.start(); } }",
  ],
  [
    "a pause within a loop",
    'import { setTimeout as delay } from "timers/promises"; for (;;) { look(); await delay(9); }',
  ],
  [
    "a pause within a loop, made by hand",
    "async function f() { while (on) await new Promise((r) => setTimeout(r, 9)); }",
  ],
  [
    "a pause before a call of oneself",
    'import { setTimeout as pause } from "node:timers/promises"; async function f() { await pause(9); return f(); }',
  ],
])("%s is a recurring timer", (_what, source) => expect(hasRecurringTimer(source)).toBe(true));

test.each([
  [
    "a limit",
    "function ask() { const limit = setTimeout(() => fail(), 9); answer.then(() => clearTimeout(limit)); }",
  ],
  [
    "a pause",
    'import { setTimeout as delay } from "node:timers/promises"; async function f() { await delay(9); look(); }',
  ],
  ["a timeout beside a loop", "function f() { setTimeout(g, 9); } function g() { for (;;) look(); }"],
  [
    "a method of the same name",
    "class A { setIntervalOf() { this.delay(9); } refresh() { this.refresh(); } }",
  ],
])("%s is not a recurring timer", (_what, source) => expect(hasRecurringTimer(source)).toBe(false));
