import type { WebSocket } from "ws";
import type { Db } from "../platform/postgres/db";
import type { Logger } from "../platform/process/log";
import { admit, type Credentials } from "./admission";
import { closeCodes, Refusal } from "./close";
import type { Wish } from "./doors";
import type { DroneWatch } from "./drone-watch";
import { type GamepadDeps, joinGamepad } from "./gamepad";
import { Pilot, type PilotDeps } from "./pilot";
import { joinRedispad, type RedispadDeps } from "./redispad";
import type { Session, Sessions } from "./sessions";

export interface RelayDeps extends RedispadDeps, GamepadDeps, PilotDeps {
  readonly db: Db;
  readonly log: Logger;
  readonly credentials: Credentials;
  readonly sessions: Sessions;
  readonly watch: DroneWatch;
}

/**
 * Open a session on a socket just accepted: look its drone up, bind it to the drone's owner and address as
 * they are now, and join it to its route. It is registered before the look-up, so that no change of the drone
 * falls between the two.
 */
export async function openSession(socket: WebSocket, wish: Wish, deps: RelayDeps): Promise<void> {
  const pilot = new Pilot(socket, deps);
  const session: Session = {
    route: wish.route,
    droneId: wish.droneId,
    drone: undefined,
    close: (code, reason) => pilot.close(code, reason),
  };
  const log = deps.log.child({ drone_id: wish.droneId, route: wish.route });
  try {
    pilot.onEnd(deps.sessions.add(session));
    const { news } = deps.watch;
    const drone = await admit(deps.db, deps.credentials, wish.droneId, wish.token, pilot);
    // Deleted, or the relay stops: nothing may be joined that nobody would leave.
    if (pilot.closed) return;
    deps.sessions.bind(session, drone);
    if (deps.watch.news !== news) deps.watch.recheck(drone.id);
    if (wish.route === "redispad") await joinRedispad(pilot, drone, deps);
    else await joinGamepad(pilot, drone, wish.port, deps);
    if (pilot.closed) return;
    log.info("a session is open");
    pilot.onEnd(() => log.info("a session is over"));
  } catch (error) {
    const refusal =
      error instanceof Refusal
        ? error
        : new Refusal(closeCodes.tryLater, "Something failed here; connect again.", undefined, {
            cause: error,
          });
    log[refusal.cause === undefined ? "info" : "warn"](
      { err: refusal.cause, code: refusal.code },
      refusal.message,
    );
    pilot.refuse(refusal);
  }
}
