import type { BoundDrone } from "./drones.store";

export interface Session {
  readonly route: "redispad" | "gamepad";
  readonly droneId: number;
  /** What the session was opened on; undefined while it is being looked up. */
  drone: BoundDrone | undefined;
  close(code: number, reason: string): void;
}

/** Every open session of this process, by drone. */
export class Sessions {
  private readonly byDrone = new Map<number, Set<Session>>();
  private readonly counts = { redispad: 0, gamepad: 0 };

  /** Returns the function that takes it out again. */
  add(session: Session): () => void {
    const { droneId, route } = session;
    const ofDrone = this.byDrone.get(droneId) ?? new Set();
    this.byDrone.set(droneId, ofDrone.add(session));
    this.counts[route] += 1;
    return () => {
      if (!ofDrone.delete(session)) return;
      this.counts[route] -= 1;
      if (ofDrone.size === 0 && this.byDrone.get(droneId) === ofDrone) this.byDrone.delete(droneId);
    };
  }

  count(route: Session["route"]): number {
    return this.counts[route];
  }

  get size(): number {
    return this.counts.redispad + this.counts.gamepad;
  }

  of(droneId: number): readonly Session[] {
    return [...(this.byDrone.get(droneId) ?? [])];
  }

  all(): readonly Session[] {
    return [...this.byDrone.values()].flatMap((ofDrone) => [...ofDrone]);
  }

  closeAll(code: number, reason: string, which: Session["route"] | "every" = "every"): void {
    for (const session of this.all()) {
      if (which === "every" || session.route === which) session.close(code, reason);
    }
  }
}
