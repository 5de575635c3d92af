import { isDomainError } from "../domain/errors";
import type { PilotRoute } from "../domain/relay-sockets";
import { closeCodes } from "../domain/relay-sockets";
import type { Quotas } from "../platform/quotas/quotas";
import { CloseError } from "./close-error";
import type { BoundDrone } from "./drones.store";

export interface Session {
  readonly route: PilotRoute;
  readonly droneId: number;
  /** The drone as it was when the session was opened; undefined until `Sessions.bind`. */
  drone: BoundDrone | undefined;
  close(code: number, reason: string): void;
}

interface SessionLimits {
  readonly maxSessions: number;
  readonly quotas: Pick<Quotas, "checkAmount">;
}

/** The open sessions of this process. */
export class Sessions {
  private readonly open = new Set<Session>();

  constructor(
    private readonly limits: SessionLimits,
    private readonly onFull: () => void = () => {},
  ) {}

  /** Returns the function that removes it. Throws a CloseError, 1013, when the relay is full. */
  add(session: Session): () => void {
    if (this.open.size >= this.limits.maxSessions) {
      this.onFull();
      throw new CloseError(
        closeCodes.tryLater,
        "This relay has as many sessions as it may; connect again in a moment.",
      );
    }
    this.open.add(session);
    return () => this.open.delete(session);
  }

  /**
   * Binds an authorized session to its drone. Only bound sessions count for the drone's owner, so that unauthorized
   * clients cannot keep the owner out. Throws a CloseError, 4429, when the owner has as many as the quota allows.
   */
  bind(session: Session, drone: BoundDrone): void {
    if (!this.open.has(session)) return;
    const bound = this.all().filter((other) => other.drone?.user_id === drone.user_id).length;
    try {
      this.limits.quotas.checkAmount("relay_sessions", bound + 1);
    } catch (error) {
      throw isDomainError(error) ? new CloseError(closeCodes.tooMany, error.message) : error;
    }
    session.drone = drone;
  }

  count(route: PilotRoute): number {
    return this.all().filter((session) => session.route === route).length;
  }

  of(droneId: number): readonly Session[] {
    const found: Session[] = [];
    for (const session of this.open) if (session.droneId === droneId) found.push(session);
    return found;
  }

  all(): readonly Session[] {
    return [...this.open];
  }

  closeAll(code: number, reason: string, which: PilotRoute | "every" = "every"): void {
    for (const session of this.all()) {
      if (which === "every" || session.route === which) session.close(code, reason);
    }
  }
}
