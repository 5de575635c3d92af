import { FloodLimit, LinkAllowance } from "./flood-limit";
import { common, minimal } from "./messages";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** One second after the other with so much of each, unless the stream is paused. */
function play(
  seconds: number,
  sent: { bytes?: number; noise?: number; texts?: number; decoded?: number; frames?: number },
) {
  let paused = false;
  let pauses = 0;
  const limit = new FloodLimit({
    pause: () => {
      paused = true;
      pauses++;
    },
    resume: () => {
      paused = false;
    },
  });
  for (let tenth = 0; tenth < 10 * seconds; tenth++) {
    if (!paused) {
      for (let at = 0; at < (sent.texts ?? 0) / 10; at++) limit.admitsMessage(common.StatusText.MSG_ID);
      for (let at = 0; at < (sent.decoded ?? 0) / 10; at++) limit.admitsMessage(minimal.Heartbeat.MSG_ID);
      const { noise = 0, frames = 0, texts = 0, bytes = 21 * frames + 66 * texts } = sent;
      if (!limit.endChunk(bytes / 10, noise / 10, frames / 10)) return { closedAfter: tenth / 10, pauses };
    }
    jest.advanceTimersByTime(100);
  }
  return { closedAfter: undefined, pauses };
}

test.each([
  [
    "every stream of ArduPilot at 50 Hz while all parameters are read",
    { bytes: 79_000, frames: 2_160, decoded: 2_160 },
  ],
  ["a download of PX4's logs beside ordinary telemetry", { bytes: 4_770_000, frames: 45_200, decoded: 90 }],
])("%s is neither slowed nor closed", (_, sent) => {
  expect(play(20, sent)).toEqual({ closedAfter: undefined, pauses: 0 });
});

test.each([
  ["bytes", { bytes: 10_000_000 }],
  ["noise", { bytes: 1_000_000, noise: 1_000_000 }],
  ["heartbeats", { frames: 6_000, decoded: 6_000 }],
  ["status texts", { texts: 200 }],
])("twice the limit of %s is slowed, and closed after some seconds", (_, sent) => {
  const { closedAfter, pauses } = play(20, sent);
  expect(closedAfter).toBeGreaterThan(1);
  expect(closedAfter).toBeLessThan(6);
  expect(pauses).toBeGreaterThan(1);
});

test("a second's burst of status texts, as of a vehicle that boots, is slowed and not closed", () => {
  expect(play(1, { texts: 300 })).toMatchObject({ closedAfter: undefined });
});

test("a new link goes on with what the last one left", () => {
  const allowance = new LinkAllowance();
  const admitted = () => {
    const limit = new FloodLimit({ pause: () => {}, resume: () => {} }, allowance);
    let count = 0;
    while (limit.admitsMessage(common.StatusText.MSG_ID)) count++;
    return count;
  };
  // A second's worth, and what the three seconds bring until the link is closed.
  expect(admitted()).toBe(400);
  expect(admitted()).toBe(0);
  jest.advanceTimersByTime(500);
  expect(admitted()).toBeLessThanOrEqual(50);
});

test("a chunk of thousands of status texts lets the next link wait for those that were decoded", () => {
  const allowance = new LinkAllowance();
  const limit = new FloodLimit({ pause: () => {}, resume: () => {} }, allowance);
  for (let at = 0; at < 5_000; at++) limit.admitsMessage(common.StatusText.MSG_ID);
  expect(allowance.waitMs).toBeLessThan(3_100);
});
