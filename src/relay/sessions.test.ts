import { createMetrics } from "../platform/process/metrics";
import { Quotas } from "../platform/quotas/quotas";
import type { Redis } from "../platform/redis/client";
import type { BoundDrone } from "./drones.store";
import { type Session, Sessions } from "./sessions";

const drone = { id: 7, user_id: 70 } as BoundDrone;
const quotas = new Quotas({ relay_sessions: 2 }, { redis: {} as Redis, registry: createMetrics("test") });

test("a session counts against its owner's quota only between its authorization and its end", () => {
  const sessions = new Sessions({ maxSessions: 10, quotas });
  const come = () => {
    const session: Session = { route: "redispad", droneId: drone.id, drone: undefined, close: () => {} };
    return { leave: sessions.add(session), bind: () => sessions.bind(session, drone) };
  };
  const [first, second, third, fourth] = [come(), come(), come(), come()];
  first.bind();
  second.bind();
  expect(third.bind).toThrow(
    expect.objectContaining({ code: 4429, message: expect.stringContaining("quota relay_sessions") }),
  );
  third.leave();
  expect(fourth.bind).toThrow("quota relay_sessions");
  first.leave();
  first.leave();
  fourth.bind();
  expect(come().bind).toThrow("quota relay_sessions");
});
