import type { Services } from "../../../platform/services";
import type { LinkTarget, StateFollower } from "../../../vehicle";
import { droneOf } from "../../drones";
import { ageOf, type DroneState, KnownState, unheard } from "./drone-state";
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
    const mine = new KnownState(id);
    return {
      said: (more) => {
        mine.hear(more);
        this.known.set(id, mine);
        this.unwritten.add(id);
      },
      closed: () => {
        mine.up = false;
        if (this.known.get(id) === mine) this.unwritten.add(id);
      },
    };
  };

  /** Of each drone, in this order. Those without a link here are read from Redis; without it they are as this gateway knows them. */
  async newest(ids: readonly number[]): Promise<DroneState[]> {
    const stored = await this.storedElsewhere(ids);
    const now = performance.now();
    return ids.map((id) => stored.get(id) ?? this.known.get(id)?.at(now) ?? unheard(id));
  }

  /** `newest` as a JSON array. */
  async newestJson(ids: readonly number[]): Promise<string> {
    const stored = await this.storedElsewhere(ids);
    const now = performance.now();
    const json = (id: number) => {
      const there = stored.get(id);
      if (there) return JSON.stringify(there);
      return this.known.get(id)?.jsonAt(now) ?? JSON.stringify(unheard(id));
    };
    return `[${ids.map(json).join()}]`;
  }

  /** The states in Redis that are newer than those that are known here. */
  private async storedElsewhere(ids: readonly number[]): Promise<ReadonlyMap<number, DroneState>> {
    const elsewhere = ids.filter((id) => !this.known.get(id)?.up);
    // Its client logs that Redis is unreachable.
    const stored = await this.store.read(elsewhere).catch(() => []);
    const now = performance.now();
    const isNewer = (there: DroneState) => {
      const here = this.known.get(there.drone_id);
      return !here || ageOf(there) < ageOf(here.at(now));
    };
    return new Map(stored.filter(isNewer).map((state) => [state.drone_id, state]));
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
      await this.store.write(
        ids.flatMap((id) => {
          const state = this.known.get(id);
          return state ? [[id, state.jsonAt(now)] as const] : [];
        }),
      );
      this.isAway = false;
    } catch (error) {
      if (!this.isAway) this.deps.log.warn({ err: error }, "Cannot write drones' states to Redis; retrying");
      this.isAway = true;
      for (const id of ids) if (this.known.has(id)) this.unwritten.add(id);
    }
  }
}
