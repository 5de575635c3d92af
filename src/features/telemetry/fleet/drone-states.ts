import type { Services } from "../../../platform/services";
import type { LinkTarget, StateFollower } from "../../../vehicle";
import { droneOf } from "../../drones";
import { ageOf, type DroneState, type KnownState, toDroneState } from "./drone-state";
import { StateStore } from "./state-store";

const WRITE_MS = 1_000;

/**
 * The newest state of each drone: what its vehicle says by itself on the link that some gateway has for another reason.
 * Of this gateway's links it is in memory. Of the other gateways' links it is in Redis, a second old at most.
 */
export class DroneStates {
  private readonly store: StateStore;
  private readonly known = new Map<number, KnownState>();
  private unwritten = new Set<number>();
  private readonly timer: NodeJS.Timeout;
  private isAway = false;

  constructor(private readonly deps: Pick<Services, "redis" | "log">) {
    this.store = new StateStore(deps.redis);
    this.timer = setInterval(() => void this.write(), WRITE_MS).unref();
  }

  /** The follower of a link that is being opened. */
  readonly follow = ({ key }: LinkTarget): StateFollower => {
    const id = droneOf(key);
    // What an earlier link said stays until this one says something, and is not mixed with it.
    let mine: KnownState | undefined;
    const set = (state: KnownState) => {
      mine = state;
      this.known.set(id, state);
      this.unwritten.add(id);
    };
    return {
      said: (more) => {
        const now = performance.now();
        const placedAt = more.position ? now : (mine?.placedAt ?? now);
        set({ up: true, heardAt: now, placedAt, said: { ...mine?.said, ...more } });
      },
      closed: () => {
        if (mine && this.known.get(id) === mine) set({ ...mine, up: false });
      },
    };
  };

  /** Of each drone, in this order. Those without a link here are read from Redis; without it they are as this gateway knows them. */
  async newest(ids: readonly number[]): Promise<DroneState[]> {
    const stored = new Map<number, DroneState>();
    try {
      const elsewhere = ids.filter((id) => !this.known.get(id)?.up);
      for (const state of await this.store.read(elsewhere)) stored.set(state.drone_id, state);
    } catch {
      // Its client logs that Redis is unreachable.
    }
    const now = performance.now();
    return ids.map((id) => {
      const here = toDroneState(id, this.known.get(id), now);
      const there = stored.get(id);
      return there && ageOf(there) < ageOf(here) ? there : here;
    });
  }

  /** The drone was deleted or has another owner, who is not to see where it was before. */
  forget(id: number): void {
    this.known.delete(id);
    this.unwritten.delete(id);
    this.store.forget(id).catch(() => {});
  }

  /** To be called when the links are closed. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
  }

  private async write(): Promise<void> {
    const ids = [...this.unwritten];
    if (ids.length === 0) return;
    this.unwritten = new Set();
    const now = performance.now();
    try {
      await this.store.write(ids.map((id) => toDroneState(id, this.known.get(id), now)));
      this.isAway = false;
    } catch (error) {
      if (!this.isAway) this.deps.log.warn({ err: error }, "Cannot write drones' states to Redis; retrying");
      this.isAway = true;
      for (const id of ids) if (this.known.has(id)) this.unwritten.add(id);
    }
  }
}
