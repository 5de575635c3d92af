import { Audience } from "./audience";
import type { TelemetryFrame } from "./events";
import type { TelemetryType } from "./streams";
import type { Watcher } from "./watcher";

const frame = (type: TelemetryType): TelemetryFrame => ({ type, drone_id: 1, data: {} });

/** Somebody who keeps up, and what they are told by themselves. */
function newcomer(): { watcher: Watcher; told: string[] } {
  const told: string[] = [];
  const emit = (_event: string, { type }: TelemetryFrame) => told.push(type);
  return {
    told,
    watcher: { socket: { id: "newcomer", emit }, slow: false, noticeStall: () => {} } as unknown as Watcher,
  };
}

test("a frame that a room has had, or one from before it, is no news there, whoever held the link", () => {
  const audience = new Audience();
  audience.add(newcomer().watcher, "gps");
  audience.sent(frame("gps"), ["gps"], 0, { term: 2, number: 5 });
  const isNews = (term: number, number: number) =>
    audience.admit("gps", "gps", { term, number }) !== undefined;
  expect([isNews(2, 5), isNews(2, 4), isNews(1, 9)]).toEqual([false, false, false]);
  expect([isNews(2, 6), isNews(3, 1)]).toEqual([true, true]);
});

test("who comes late is told the newest of each type, nothing older than ten seconds but home", () => {
  const audience = new Audience();
  const { watcher, told } = newcomer();
  for (const type of ["relalt", "home"] as const) audience.remember(frame(type), { at: 0, place: undefined });
  audience.remember(frame("hud"), { at: 1_000, place: undefined });
  audience.add(watcher, "dashboard");
  audience.greet(watcher, "dashboard", 10_500, 10_500);
  expect(told).toEqual(["home", "hud"]);
});
