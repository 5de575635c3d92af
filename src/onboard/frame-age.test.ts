import { FrameAge } from "./frame-age";

const HOUR = 3_600_000;

/** Frames of one session, twenty a second, that arrive `tripMs(t)` later on a clock ahead by 5,000,000 ms. */
function checked(count: number, tripMs: (t: number) => number, heldMs = 20) {
  const age = new FrameAge();
  return Array.from({ length: count }, (_, index) => {
    const t = index * 50;
    const now = t + tripMs(t) + 5_000_000;
    return { t, ...age.check({ session: "a", t }, now - heldMs, now) };
  });
}

test("the frames of a session are accepted after it has settled", () => {
  const verdicts = checked(40, () => 30);
  expect(verdicts.filter(({ t }) => t < 300).every(({ refused }) => refused === "settling")).toBe(true);
  expect(verdicts.filter(({ t }) => t >= 300).every(({ refused }) => refused === undefined)).toBe(true);
});

test("frames that were delayed on the pilot's side are refused until they come in time again", () => {
  // Everything sent from 2 s to 5 s arrives just after 5 s.
  const verdicts = checked(200, (t) => (t >= 2_000 && t < 5_000 ? 5_030 - t : 30));
  const refused = verdicts.filter((verdict) => verdict.refused && verdict.t >= 300);
  expect(refused.every(({ refused }) => refused === "old")).toBe(true);
  expect([refused[0]?.t, refused.at(-1)?.t]).toEqual([2_000, 4_750]);
});

test("frames of a session that begins after a stall are refused until it has settled", () => {
  const verdicts = checked(200, (t) => (t < 3_000 ? 3_000 - t : 30));
  const first = verdicts.find(({ refused }) => refused === undefined);
  expect(first?.t).toBeGreaterThanOrEqual(3_000);
});

test("a frame that Redis may have held too long is refused, whatever its timestamp", () => {
  expect(checked(20, () => 30, 301).every(({ refused }) => refused === "old")).toBe(true);
  const age = new FrameAge();
  expect(age.check({ session: "a", t: 1 }, undefined, 2)).toEqual({ refused: "old", ageMs: Infinity });
});

test("the drift of a pilot's clock by a ten-thousandth is tracked for an hour", () => {
  for (const rate of [0.0001, -0.0001]) {
    const verdicts = checked(HOUR / 50, (t) => 30 + t * rate);
    expect(verdicts.filter(({ t, refused }) => t >= 350 && refused !== undefined)).toEqual([]);
  }
});

test("a frame that comes after a later one is refused, and each session has its own clock", () => {
  const age = new FrameAge();
  const check = (session: string, t: number, now: number) => age.check({ session, t }, now, now).refused;
  check("a", 0, 1_000);
  expect(check("a", 400, 1_400)).toBeUndefined();
  expect(check("a", 390, 1_401)).toBe("out_of_order");
  expect(check("b", 77_000, 1_410)).toBe("settling");
  expect(check("a", 450, 1_450)).toBeUndefined();
});
