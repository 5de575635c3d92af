import { closeCodes, Refusal } from "./close";
import type { PilotRoute } from "./doors";
import type { BoundDrone } from "./drones.store";

export interface Session {
  readonly route: PilotRoute;
  readonly droneId: number;
  /** What the session was opened on; undefined while it is being looked up. `Sessions.bind` sets it. */
  drone: BoundDrone | undefined;
  close(code: number, reason: string): void;
}

export interface SessionLimits {
  readonly maxSessions: number;
  readonly maxSessionsPerDrone: number;
}

/** Why a session is not taken; a label of the metrics. */
export type SessionsFull = "full" | "drone_full";

/** Every open session of this process, by drone. */
export class Sessions {
  private readonly byDrone = new Map<number, { readonly all: Set<Session>; bound: number }>();
  private readonly counts = { redispad: 0, gamepad: 0 };

  constructor(
    private readonly limits: SessionLimits,
    private readonly onFull: (why: SessionsFull) => void = () => {},
  ) {}

  /** Returns the function that takes it out again. Throws a Refusal, 1013, when there are as many as there may be. */
  add(session: Session): () => void {
    if (this.size >= this.limits.maxSessions) {
      this.onFull("full");
      throw new Refusal(
        closeCodes.tryLater,
        "This relay has as many sessions as it may; connect again in a moment.",
      );
    }
    const { droneId, route } = session;
    const ofDrone = this.byDrone.get(droneId) ?? { all: new Set(), bound: 0 };
    this.byDrone.set(droneId, ofDrone);
    ofDrone.all.add(session);
    this.counts[route] += 1;
    return () => {
      if (!ofDrone.all.delete(session)) return;
      if (session.drone) ofDrone.bound -= 1;
      this.counts[route] -= 1;
      if (ofDrone.all.size === 0 && this.byDrone.get(droneId) === ofDrone) this.byDrone.delete(droneId);
    };
  }

  /**
   * The session's pilot may steer this drone. Only such sessions count as the drone's, so that nobody who may not
   * keeps its pilot out. Throws a Refusal, 1013, when it has as many as it may.
   */
  bind(session: Session, drone: BoundDrone): void {
    const ofDrone = this.byDrone.get(session.droneId);
    if (!ofDrone?.all.has(session)) return;
    if (ofDrone.bound >= this.limits.maxSessionsPerDrone) {
      this.onFull("drone_full");
      throw new Refusal(
        closeCodes.tryLater,
        "This drone has as many sessions here as it may; close one, or connect again in a moment.",
      );
    }
    ofDrone.bound += 1;
    session.drone = drone;
  }

  count(route: PilotRoute): number {
    return this.counts[route];
  }

  get size(): number {
    return this.counts.redispad + this.counts.gamepad;
  }

  of(droneId: number): readonly Session[] {
    return [...(this.byDrone.get(droneId)?.all ?? [])];
  }

  all(): readonly Session[] {
    return [...this.byDrone.values()].flatMap(({ all }) => [...all]);
  }

  closeAll(code: number, reason: string, which: PilotRoute | "every" = "every"): void {
    for (const session of this.all()) {
      if (which === "every" || session.route === which) session.close(code, reason);
    }
  }
}
