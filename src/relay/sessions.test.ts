import type { BoundDrone } from "./drones.store";
import { type Session, Sessions } from "./sessions";

const drone = { id: 7 } as BoundDrone;

test("a session counts against its drone's limit only between its authorization and its end", () => {
  const sessions = new Sessions({ maxSessions: 10, maxSessionsPerDrone: 2 });
  const come = () => {
    const session: Session = { route: "redispad", droneId: drone.id, drone: undefined, close: () => {} };
    return { leave: sessions.add(session), bind: () => sessions.bind(session, drone) };
  };
  const [first, second, third, fourth] = [come(), come(), come(), come()];
  first.bind();
  second.bind();
  expect(third.bind).toThrow("as many sessions");
  third.leave();
  expect(fourth.bind).toThrow("as many sessions");
  first.leave();
  first.leave();
  fourth.bind();
  expect(come().bind).toThrow("as many sessions");
});
