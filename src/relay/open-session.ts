import type { WebSocket } from "ws";
import { closeCodes } from "../domain/relay-sockets";
import type { Db } from "../platform/postgres/db";
import type { Logger } from "../platform/process/log";
import { authorize, type Credentials } from "./authorization";
import { CloseError } from "./close-error";
import type { DroneWatch } from "./drone-watch";
import { type GamepadDeps, joinGamepad } from "./gamepad";
import { Pilot, type PilotDeps } from "./pilot";
import { joinRedispad, type RedispadDeps } from "./redispad";
import type { Session, Sessions } from "./sessions";
import type { SessionRequest } from "./upgrades";

export interface RelayDeps extends RedispadDeps, GamepadDeps, PilotDeps {
  readonly db: Db;
  readonly log: Logger;
  readonly credentials: Credentials;
  readonly sessions: Sessions;
  readonly watch: DroneWatch;
}

/**
 * Opens a session on an accepted socket: reads its drone, binds the session to the drone's present owner and address,
 * and joins it to its route. The session is registered before the read, so that no change of the drone is missed.
 */
export async function openSession(
  socket: WebSocket,
  request: SessionRequest,
  deps: RelayDeps,
): Promise<void> {
  const pilot = new Pilot(socket, deps);
  const session: Session = {
    route: request.route,
    droneId: request.droneId,
    drone: undefined,
    close: (code, reason) => pilot.close(code, reason),
  };
  const log = deps.log.child({ drone_id: request.droneId, route: request.route });
  try {
    pilot.onEnd(deps.sessions.add(session));
    const { changes } = deps.watch;
    const drone = await authorize(deps.db, deps.credentials, request.droneId, request.token, pilot);
    // A closed session must not subscribe: nothing would unsubscribe it.
    if (pilot.closed) return;
    deps.sessions.bind(session, drone);
    if (deps.watch.changes !== changes) deps.watch.recheck(drone.id);
    if (request.route === "redispad") await joinRedispad(pilot, drone, deps);
    else await joinGamepad(pilot, drone, request.port, deps);
    if (pilot.closed) return;
    log.info("Relay session opened");
    pilot.onEnd(() => log.info("Relay session ended"));
  } catch (error) {
    const closeError =
      error instanceof CloseError
        ? error
        : new CloseError(closeCodes.tryLater, "Something failed here; connect again.", undefined, {
            cause: error,
          });
    log[closeError.cause === undefined ? "info" : "warn"](
      { err: closeError.cause, code: closeError.code },
      closeError.message,
    );
    pilot.closeWith(closeError);
  }
}
