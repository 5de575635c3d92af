import { linkKey } from "../../../features/drones";
import { createLogger } from "../../../platform/process/log";
import { openRedis } from "../../../platform/redis/client";
import { LeaseStore } from "../../../vehicle/cluster";
import { atEndOfFile } from "../../clean-up";
import type { FakeLeases } from "../../fakes/fake-leases";

/** A lease as it was read. */
export interface LeaseHolder {
  /** The target that holds it; undefined without a holder. */
  readonly by: string | undefined;
  /** Grows with each new holder: a link's fencing number, a hub lease's count of transitions. */
  readonly number: number;
}

/** Reads the holders of leases from Redis and from the fake API server, on connections that no fault affects. */
export class LeaseHolders {
  private readonly links: LeaseStore;

  constructor(
    redisUrl: string,
    /** Where replicas of the gateway reach each other, the first one's first. */
    private readonly peers: readonly string[],
    private readonly hubs: FakeLeases,
  ) {
    const redis = openRedis(redisUrl, createLogger("test", "silent"), {
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      commandTimeout: undefined,
    });
    atEndOfFile(async () => redis.disconnect());
    this.links = new LeaseStore(redis);
  }

  async ofLink(droneId: number): Promise<LeaseHolder> {
    const holder = await this.links.read(linkKey(droneId));
    if (!holder) return { by: undefined, number: 0 };
    return {
      by: `gateway ${this.peers.indexOf(new URL(holder.url).href) + 1}`,
      number: holder.fence,
    };
  }

  ofHub(): LeaseHolder {
    const [lease] = [...this.hubs.leases.values()];
    const { holderIdentity, leaseTransitions } = lease?.spec ?? {};
    // A hub's own random part follows its name.
    const [, number] = /^tunnel-(\d)_/.exec(holderIdentity ?? "") ?? [];
    return { by: number && `tunnel ${number}`, number: leaseTransitions ?? 0 };
  }
}
