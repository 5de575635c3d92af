import type { Redis } from "../../platform/redis/client";

/** The replica of the gateway that may open a drone's link, as every replica reads it. */
export interface Holder {
  /** One start of one process; a restarted one is another. */
  readonly replica: string;
  /** Grows with every claim of the drone's link, also after Redis has lost its data. */
  readonly fence: number;
  /** Where the other replicas reach it. */
  readonly url: string;
}

/**
 * `replica fence url` under the lease's key, so that a renewal compares the whole. The fence is the clock in
 * milliseconds, or one more than the last where that is more: a counter alone would begin again at 1 when
 * Redis loses its data, and the jumphost would refuse every holder from then on.
 */
const CLAIM = `
local lease = redis.call('GET', KEYS[1])
if lease and string.sub(lease, 1, #ARGV[1] + 1) ~= ARGV[1] .. ' ' then return lease end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local fence = string.format('%.0f', math.max(now, tonumber(redis.call('GET', KEYS[2]) or '0') + 1))
local mine = ARGV[1] .. ' ' .. fence .. ' ' .. ARGV[2]
redis.call('SET', KEYS[2], fence)
redis.call('SET', KEYS[1], mine, 'PX', ARGV[3])
return mine`;

const RENEW = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0`;

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/**
 * `drone fence` under an endpoint's key. The same drone's next holder takes it over; a deposed holder that was slow does
 * not take it back.
 */
const CLAIM_ENDPOINT = `
local held = redis.call('GET', KEYS[1])
if held then
  local drone, fence = string.match(held, '^(%S+) (%d+)$')
  if drone ~= ARGV[1] or tonumber(fence) > tonumber(ARGV[2]) then return 0 end
end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])
return 1`;

const leaseKey = (key: string) => `fleet:link:{${key}}`;
const fenceKey = (key: string) => `fleet:link:{${key}}:fence`;
const endpointKey = (endpoint: string) => `fleet:vehicle:{${endpoint}}`;
const endpointHolder = (key: string, { fence }: Holder) => `${key} ${fence}`;

/** A drone's lease, and the endpoints of its vehicle; see `EndpointClaims`. */
export interface Lease {
  readonly key: string;
  readonly holder: Holder;
  readonly endpoints: readonly string[];
}

/** Leases in Redis. Every method rejects while Redis is down. */
export class LeaseStore {
  constructor(private readonly redis: Redis) {}

  /** Claims the lease if it is free or ours, with a higher fence; returns its holder then. */
  async claim(key: string, replica: string, url: string, ttlMs: number): Promise<Holder> {
    const lease = await this.redis.eval(CLAIM, 2, leaseKey(key), fenceKey(key), replica, url, ttlMs);
    return parse(String(lease));
  }

  async read(key: string): Promise<Holder | undefined> {
    const lease = await this.redis.get(leaseKey(key));
    return lease === null ? undefined : parse(lease);
  }

  /** The last number given for the drone's link, whether or not its holder still has it; undefined before the first. */
  async lastFence(key: string): Promise<number | undefined> {
    const fence = await this.redis.get(fenceKey(key));
    return fence === null ? undefined : Number(fence);
  }

  /** Takes the endpoints for the drone; false when another drone has one, or a later holder of this one. */
  async claimEndpoints({ key, holder, endpoints }: Lease, ttlMs: number): Promise<boolean> {
    const taken = await Promise.all(
      endpoints.map((endpoint) =>
        this.redis.eval(CLAIM_ENDPOINT, 1, endpointKey(endpoint), key, holder.fence, ttlMs),
      ),
    );
    return taken.every((one) => one === 1);
  }

  async releaseEndpoints({ key, holder, endpoints }: Lease): Promise<void> {
    await Promise.all(
      endpoints.map((endpoint) =>
        this.redis.eval(RELEASE, 1, endpointKey(endpoint), endpointHolder(key, holder)),
      ),
    );
  }

  /** In one round trip; returns for each whether all of it is still ours, or undefined where Redis did not answer. */
  async renew(leases: readonly Lease[], ttlMs: number): Promise<(boolean | undefined)[]> {
    const pipeline = this.redis.pipeline();
    for (const { key, holder, endpoints } of leases) {
      pipeline.eval(RENEW, 1, leaseKey(key), format(holder), ttlMs);
      for (const endpoint of endpoints)
        pipeline.eval(RENEW, 1, endpointKey(endpoint), endpointHolder(key, holder), ttlMs);
    }
    const replies = (await pipeline.exec()) ?? [];
    return leases.map(({ endpoints }) => {
      const own = replies.splice(0, 1 + endpoints.length);
      if (own.some(([error, renewed]) => !error && renewed !== 1)) return false;
      return own.length > endpoints.length && own.every(([error]) => !error) ? true : undefined;
    });
  }

  async release(key: string, holder: Holder): Promise<void> {
    await this.redis.eval(RELEASE, 1, leaseKey(key), format(holder));
  }
}

const format = ({ replica, fence, url }: Holder): string => `${replica} ${fence} ${url}`;

function parse(lease: string): Holder {
  const [replica = "", fence = "", url = ""] = lease.split(" ");
  return { replica, fence: Number(fence), url };
}
