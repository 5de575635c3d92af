import { DomainError } from "../../domain/errors";
import type { ByteStream, LinkTarget } from "../../vehicle/byte-stream";
import type { TelemetryMessage, VehicleLink } from "../../vehicle/link";
import { LinkPool, type PoolOptions } from "../../vehicle/pool";

/** The drone that the tests of a pool dial. */
export const TARGET: LinkTarget = { key: "7", host: "10.71.0.7", port: 5001, via: "direct" };

/**
 * A fake link that keeps who listens and whether it is open. Only what the pool touches of a link is there;
 * the orders are not.
 */
export class FakeLink {
  state: VehicleLink["state"] = "ready";
  readonly listeners = new Set<(message: TelemetryMessage) => void>();
  private readonly closeListeners: ((reason: string) => void)[] = [];
  closedBecause: string | undefined;

  onTelemetry(listener: (message: TelemetryMessage) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
  streams = false;
  setStreams(on: boolean): void {
    this.streams = on;
  }
  heartbeats = true;
  setHeartbeats(on: boolean): void {
    this.heartbeats = on;
  }
  onClose(listener: (reason: string) => void): void {
    if (this.closedBecause !== undefined) listener(this.closedBecause);
    else this.closeListeners.push(listener);
  }
  close(reason: string): void {
    if (this.state === "closed") return;
    this.state = "closed";
    this.closedBecause = reason;
    for (const listener of this.closeListeners) listener(reason);
  }
  say(message: TelemetryMessage): void {
    for (const listener of [...this.listeners]) listener(message);
  }
}

const STREAM: ByteStream = {
  write: () => true,
  onData: () => {},
  pause: () => {},
  resume: () => {},
  onClose: () => {},
  close: () => {},
};

/**
 * The function that builds a pool over fake links, which ends with the test. `reachable` decides whether the next dial
 * succeeds.
 */
export function fakeLinkPools() {
  const pools: LinkPool[] = [];
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.drain(0);
  });
  return (options: Partial<PoolOptions> = {}) => {
    const links: FakeLink[] = [];
    const dialled: LinkTarget[] = [];
    const log: string[] = [];
    const world = { reachable: true };
    const pool = new LinkPool({
      dial: async (target) => {
        dialled.push(target);
        await new Promise((resolve) => setImmediate(resolve));
        if (!world.reachable) throw new DomainError("vehicle_unreachable", "Nobody is there.");
        return STREAM;
      },
      open: async () => {
        const link = new FakeLink();
        links.push(link);
        return link as unknown as VehicleLink;
      },
      backoff: { firstMs: 10, maxMs: 20 },
      random: () => 1,
      observer: {
        opened: () => void log.push("opened"),
        openFailed: (_key, code) => void log.push(`failed ${code}`),
        closed: (_key, reason) => void log.push(`closed: ${reason}`),
        reconnecting: (_key, attempt, delayMs) => void log.push(`attempt ${attempt} in ${delayMs} ms`),
      },
      ...options,
    });
    pools.push(pool);
    return { pool, links, dialled, log, world };
  };
}
