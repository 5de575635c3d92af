import { DomainError } from "../domain/errors";
import { until } from "../testing/until";
import type { ByteStream, LinkTarget } from "./byte-stream";
import type { TelemetryMessage, VehicleLink } from "./link";
import { LinkPool, type PoolOptions } from "./pool";

const TARGET: LinkTarget = { key: "7", host: "10.71.0.7", port: 5001, via: "direct" };
const MESSAGE: TelemetryMessage = { type: "relalt", data: { data: 4 } };

/**
 * A fake link that keeps who listens and whether it is open. Only what the pool touches of a link is there;
 * the orders are not.
 */
class FakeLink {
  state: VehicleLink["state"] = "ready";
  readonly listeners = new Set<(message: TelemetryMessage) => void>();
  private readonly closeListeners: ((reason: string) => void)[] = [];
  closedBecause: string | undefined;

  onTelemetry(listener: (message: TelemetryMessage) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
  onClose(listener: (reason: string) => void): void {
    this.closeListeners.push(listener);
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

const STREAM: ByteStream = { write: () => true, onData: () => {}, onClose: () => {}, close: () => {} };

let pool: LinkPool | undefined;
afterEach(async () => {
  await pool?.drain(0);
});

/** A pool over fake links. `reachable` decides whether the next dial succeeds. */
function build(options: Partial<PoolOptions> = {}) {
  const links: FakeLink[] = [];
  const dialled: LinkTarget[] = [];
  const log: string[] = [];
  const world = { reachable: true };
  const thePool = new LinkPool({
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
    backoff: { firstMs: 10, mostMs: 20 },
    random: () => 1,
    observer: {
      opened: () => void log.push("opened"),
      openFailed: (_key, code) => void log.push(`failed ${code}`),
      closed: (_key, reason) => void log.push(`closed: ${reason}`),
      reconnecting: (_key, attempt, delayMs) => void log.push(`attempt ${attempt} in ${delayMs} ms`),
    },
    ...options,
  });
  pool = thePool;
  return { pool: thePool, links, dialled, log, world };
}

describe("a link", () => {
  test("is opened once for any number of concurrent callers, and kept for the next", async () => {
    const { pool, links, dialled } = build();
    const used = await Promise.all(
      Array.from({ length: 20 }, () => pool.withLink(TARGET, async (link) => link)),
    );
    expect(new Set(used).size).toBe(1);
    await pool.withLink(TARGET, async () => {});
    expect([links.length, dialled.length, pool.size]).toEqual([1, 1, 1]);
  });

  test("without users is closed after the idle time, and not before its last user has finished", async () => {
    const { pool, links, log } = build({ idleMs: 30 });
    let finish = () => {};
    const busy = pool.withLink(TARGET, () => new Promise<void>((resolve) => (finish = resolve)));
    await until(() => links.length === 1);
    await pool.withLink(TARGET, async () => {});
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(links[0]?.state).toBe("ready");
    finish();
    await busy;
    await until(() => links[0]?.state === "closed");
    expect(log).toEqual(["opened", "closed: idle"]);
    expect(pool.size).toBe(0);
  });

  test("that was opened under an earlier lease is not used under a later one", async () => {
    const { pool, links, dialled } = build();
    await pool.withLink({ ...TARGET, fence: 1 }, async () => {});
    const used = await pool.withLink({ ...TARGET, fence: 2 }, async (link) => link as unknown);
    expect(used).toBe(links[1]);
    expect([links[0]?.state, links[1]?.state]).toEqual(["closed", "ready"]);
    expect(dialled.map(({ fence }) => fence)).toEqual([1, 2]);
  });

  test("that loses its last watcher while it is down is not dialled again", async () => {
    const { pool, dialled, log, world } = build();
    world.reachable = false;
    pool.subscribe(TARGET, () => {});
    await until(() => log.includes("attempt 1 in 10 ms"));
    pool.close(TARGET.key);
    const before = dialled.length;
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(dialled).toHaveLength(before);
  });

  test("that cannot be opened rejects each caller, and the next call dials again", async () => {
    const { pool, world, dialled } = build();
    world.reachable = false;
    const calls = [1, 2, 3].map(() => pool.withLink(TARGET, async () => {}));
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "vehicle_unreachable" });
    world.reachable = true;
    await expect(pool.withLink(TARGET, async () => "there")).resolves.toBe("there");
    expect(dialled).toHaveLength(2);
  });

  test("rejects a caller that waited for the limit", async () => {
    const { pool } = build({
      waitMs: 30,
      dial: (_target, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new DomainError("vehicle_unreachable", "Too late.")));
        }),
    });
    await expect(pool.withLink(TARGET, async () => {})).rejects.toMatchObject({
      code: "vehicle_unreachable",
      message: "Too late.",
    });
  });

  test("rejects with its own message, and keeps the error below it as the cause", async () => {
    const fault = new Error("EPIPE 10.71.0.7");
    const { pool } = build({ dial: () => Promise.reject(fault) });
    await expect(pool.withLink(TARGET, async () => {})).rejects.toMatchObject({
      code: "vehicle_unreachable",
      cause: fault,
    });
  });

  test("to a drone whose address has changed is closed and opened to the new one", async () => {
    const { pool, links, dialled } = build();
    await pool.withLink(TARGET, async () => {});
    await pool.withLink({ ...TARGET, port: 5002 }, async () => {});
    expect(links.map(({ state }) => state)).toEqual(["closed", "ready"]);
    expect(dialled.map(({ port }) => port)).toEqual([5001, 5002]);
  });
});

describe("one vehicle", () => {
  const other: LinkTarget = { ...TARGET, key: "8" };

  test("is linked to one drone at a time; another drone gets an error that names the setting to change, and may have it next", async () => {
    const { pool, dialled } = build();
    await pool.withLink(TARGET, async () => {});
    for (const host of [other.host, other.host.toUpperCase()]) {
      await expect(pool.withLink({ ...other, host }, async () => {})).rejects.toMatchObject({
        code: "vehicle_unreachable",
        message: expect.stringMatching(/port, or its link_host/),
      });
    }
    expect(dialled.map(({ key }) => key)).toEqual(["7"]);
    await pool.withLink({ ...other, port: 5002 }, async () => {});
    pool.close("7");
    await pool.withLink(other, async () => {});
    expect(dialled.map(({ key, port }) => [key, port])).toEqual([
      ["7", 5001],
      ["8", 5002],
      ["8", 5001],
    ]);
  });

  test.each([
    ["localhost", "127.0.0.1"],
    ["127.0.0.1", "LOCALHOST"],
    ["localhost", "::1"],
    ["0:0:0:0:0:0:0:1", "0.0.0.0"],
    ["::ffff:10.71.0.7", "10.71.0.7"],
    ["2001:DB8::7", "2001:db8:0::7"],
    ["copter.example", "10.71.0.7"],
    ["copter.example", "the-same-copter.example"],
  ])("is one, whether it is called %s or %s", async (host, too) => {
    const names: Record<string, string[]> = {
      localhost: ["127.0.0.1"],
      "copter.example": ["2001:db8::1", "10.71.0.7"],
      "the-same-copter.example": ["::ffff:10.71.0.7"],
    };
    const { pool, dialled } = build({ resolve: async (name) => names[name.toLowerCase()] ?? [] });
    await pool.withLink({ ...TARGET, host }, async () => {});
    await expect(pool.withLink({ ...other, host: too }, async () => {})).rejects.toThrow("Another drone");
    await pool.withLink({ ...other, host: "10.71.0.8" }, async () => {});
    expect(dialled.map((target) => target.host)).toEqual([host, "10.71.0.8"]);
  });

  test("with a host name that does not resolve, or not in time, is not dialled", async () => {
    const { pool, dialled } = build({
      waitMs: 30,
      resolve: (name) =>
        name === "slow.example" ? new Promise(() => {}) : Promise.reject(new Error("ENOTFOUND")),
    });
    for (const host of ["nobody.example", "slow.example"]) {
      await expect(pool.withLink({ ...TARGET, host }, async () => {})).rejects.toMatchObject({
        code: "vehicle_unreachable",
        message: `The name ${host} does not resolve.`,
      });
    }
    expect(dialled).toEqual([]);
  });

  test("is linked to one of two drones that dial it at once", async () => {
    const { pool, dialled } = build();
    const calls = [TARGET, other].map((target) => pool.withLink(target, async () => target.key));
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(dialled.map(({ key }) => key)).toEqual(["7"]);
  });

  test("that did not answer one drone may be dialled for another", async () => {
    const { pool, world, dialled } = build();
    world.reachable = false;
    await expect(pool.withLink(TARGET, async () => {})).rejects.toMatchObject({
      message: "Nobody is there.",
    });
    world.reachable = true;
    await pool.withLink(other, async () => {});
    expect(dialled.map(({ key }) => key)).toEqual(["7", "8"]);
  });

  test("is linked to the drone that waits for it once the other closes its link", async () => {
    const { pool, links } = build();
    await pool.withLink(TARGET, async () => {});
    const states: string[] = [];
    pool.subscribe(other, { onMessage: () => {}, onState: (state) => void states.push(state) });
    await until(() => states.length === 1);
    pool.close("7");
    await until(() => states.length === 2);
    expect(states).toEqual(["down", "up"]);
    expect(links.map(({ state }) => state)).toEqual(["closed", "ready"]);
  });
});

describe("a watch", () => {
  test("survives lost links: it gets the next link's messages without subscribing again", async () => {
    const { pool, links, log, world } = build();
    const heard: TelemetryMessage[] = [];
    const states: string[] = [];
    pool.subscribe(TARGET, {
      onMessage: (message) => void heard.push(message),
      onState: (state) => void states.push(state),
    });
    await until(() => links.length === 1);
    links[0]?.say(MESSAGE);
    world.reachable = false;
    links[0]?.close("the vehicle rebooted");
    await until(() => log.includes("attempt 3 in 20 ms"));
    world.reachable = true;
    await until(() => links.length === 2);
    links[1]?.say(MESSAGE);
    expect(heard).toEqual([MESSAGE, MESSAGE]);
    expect(states).toEqual(["up", "down", "up"]);
    expect(log.slice(0, 5)).toEqual([
      "opened",
      "closed: the vehicle rebooted",
      "attempt 1 in 10 ms",
      "failed vehicle_unreachable",
      "attempt 2 in 20 ms",
    ]);
  });

  test("of an unreachable vehicle waits until it is reachable", async () => {
    const { pool, links, world } = build();
    world.reachable = false;
    const failedCall = pool.withLink(TARGET, async () => {});
    const states: string[] = [];
    pool.subscribe(TARGET, { onMessage: () => {}, onState: (state) => void states.push(state) });
    await expect(failedCall).rejects.toMatchObject({ code: "vehicle_unreachable" });
    expect(states).toEqual(["down"]);
    world.reachable = true;
    await until(() => states.join() === "down,up");
    expect(links).toHaveLength(1);
  });

  test("shared by many subscribers is one subscription on the link, which ends with the last of them", async () => {
    const { pool, links } = build({ idleMs: 20 });
    const heard: string[] = [];
    const stopA = pool.subscribe(TARGET, () => void heard.push("a"));
    const stopB = pool.subscribe(TARGET, () => void heard.push("b"));
    await until(() => links[0]?.listeners.size === 1);
    links[0]?.say(MESSAGE);
    stopA();
    stopA();
    links[0]?.say(MESSAGE);
    expect(heard).toEqual(["a", "b", "b"]);
    stopB();
    expect(links[0]?.listeners.size).toBe(0);
    await until(() => links[0]?.state === "closed");
  });

  test("that has ended stops the attempts to reach a lost vehicle", async () => {
    const { pool, links, log, dialled } = build();
    const stop = pool.subscribe(TARGET, () => {});
    await until(() => links.length === 1);
    links[0]?.close("gone");
    expect(log.at(-1)).toBe("attempt 1 in 10 ms");
    stop();
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(dialled).toHaveLength(1);
  });

  test("that begins after the attempts stopped gets messages", async () => {
    const { pool, links } = build();
    pool.subscribe(TARGET, () => {})();
    await until(() => links.length === 1);
    const heard: TelemetryMessage[] = [];
    pool.subscribe(TARGET, (message) => void heard.push(message));
    await until(() => links[0]?.listeners.size === 1);
    links[0]?.say(MESSAGE);
    expect(heard).toEqual([MESSAGE]);
  });
});

describe("closing", () => {
  test("a drone closes its link and ends its watches, and it is not dialled again", async () => {
    const { pool, links, dialled } = build();
    const states: string[] = [];
    pool.subscribe(TARGET, { onMessage: () => {}, onState: (state) => void states.push(state) });
    await until(() => links.length === 1);
    expect(pool.close(TARGET.key, "deleted")).toBe(true);
    expect(links[0]?.closedBecause).toBe("deleted");
    expect(states).toEqual(["up", "ended"]);
    expect(pool.close(TARGET.key)).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(dialled).toHaveLength(1);
  });

  test("a drone during an attempt rejects the callers and closes a link that opens late", async () => {
    const { pool, links } = build();
    const waiting = pool.withLink(TARGET, async () => {});
    pool.close(TARGET.key);
    await expect(waiting).rejects.toMatchObject({ code: "vehicle_unreachable" });
    expect(links.every(({ state }) => state === "closed")).toBe(true);
  });

  test("the pool waits for orders under way, accepts no new ones and leaves nothing open", async () => {
    const { pool, links } = build();
    let finish = () => {};
    const order = pool.withLink(
      TARGET,
      () => new Promise<string>((resolve) => (finish = () => resolve("done"))),
    );
    await until(() => links.length === 1);
    const drained = pool.drain(5000);
    await expect(pool.withLink(TARGET, async () => {})).rejects.toMatchObject({ code: "unavailable" });
    expect(links[0]?.state).toBe("ready");
    finish();
    await expect(order).resolves.toBe("done");
    await drained;
    expect(links[0]?.state).toBe("closed");
    expect(pool.size).toBe(0);
  });
});

test("a link is not used under another lease than it was opened under", async () => {
  const { pool, links } = build();
  const used = (fence: number) =>
    pool.withLink({ ...TARGET, fence }, async (link) => links.indexOf(link as unknown as FakeLink));
  expect([await used(1), await used(1), await used(2)]).toEqual([0, 0, 1]);
  expect(links.map(({ state }) => state)).toEqual(["closed", "ready"]);
});
