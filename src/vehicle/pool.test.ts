import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../domain/errors";
import { type FakeLink, fakeLinkPools, TARGET } from "../testing/fakes/fake-link-pool";
import { until } from "../testing/until";
import type { TelemetryMessage } from "./link";
import { FLOOD } from "./mavlink/wire/flood-limit";
import { CLOSED_BY_OWNER } from "./vehicle-links";

const MESSAGE: TelemetryMessage = { type: "relalt", data: { data: 4 } };

const build = fakeLinkPools();

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
    await delay(60);
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
    pool.subscribe(TARGET, { onMessage: () => {} });
    await until(() => log.includes("attempt 1 in 10 ms"));
    pool.close(TARGET.key);
    const before = dialled.length;
    await delay(40);
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

describe("a watch", () => {
  test("survives lost links: it gets the next link's messages without subscribing again", async () => {
    const { pool, links, log, world } = build();
    const received: TelemetryMessage[] = [];
    const states: string[] = [];
    pool.subscribe(TARGET, {
      onMessage: (message) => void received.push(message),
      onState: (state) => void states.push(state),
    });
    await until(() => links.length === 1);
    links[0]?.say(MESSAGE);
    world.reachable = false;
    links[0]?.close("the vehicle rebooted");
    await until(() => log.includes("attempt 5 in 20 ms"));
    world.reachable = true;
    await until(() => links.length === 2);
    links[1]?.say(MESSAGE);
    expect(received).toEqual([MESSAGE, MESSAGE]);
    expect(states).toEqual(["up", "down", "up"]);
    expect(log.slice(0, 5)).toEqual([
      "opened",
      "closed: the vehicle rebooted",
      "attempt 1 in 10 ms",
      "failed vehicle_unreachable",
      "attempt 2 in 10 ms",
    ]);
  });

  test("of a vehicle that floods its links says why, and dials it less and less often", async () => {
    const { pool, links, log } = build();
    const reasons: (string | undefined)[] = [];
    pool.subscribe(TARGET, {
      onMessage: () => {},
      onState: (state, reason) => state === "down" && reasons.push(reason),
    });
    for (const at of [0, 1, 2, 3, 4]) {
      await until(() => links.length === at + 1);
      links[at]?.close(FLOOD);
    }
    await until(() => links.length === 6);
    links[5]?.close("the vehicle rebooted");
    expect(reasons).toEqual([...Array(5).fill(FLOOD), "the vehicle rebooted"]);
    expect(log.filter((line) => line.startsWith("attempt"))).toEqual([
      ...[1, 2, 3, 4].map((attempt) => `attempt ${attempt} in 10 ms`),
      "attempt 5 in 20 ms",
      "attempt 1 in 10 ms",
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
    const received: string[] = [];
    const stopA = pool.subscribe(TARGET, { onMessage: () => void received.push("a") });
    const stopB = pool.subscribe(TARGET, { onMessage: () => void received.push("b") });
    await until(() => links[0]?.listeners.size === 1);
    links[0]?.say(MESSAGE);
    stopA();
    stopA();
    links[0]?.say(MESSAGE);
    expect(received).toEqual(["a", "b", "b"]);
    stopB();
    expect(links[0]?.listeners.size).toBe(0);
    await until(() => links[0]?.state === "closed");
  });

  test("that has ended stops the attempts to reach a lost vehicle", async () => {
    const { pool, links, log, dialled } = build();
    const stop = pool.subscribe(TARGET, { onMessage: () => {} });
    await until(() => links.length === 1);
    links[0]?.close("gone");
    expect(log.at(-1)).toBe("attempt 1 in 10 ms");
    stop();
    await delay(40);
    expect(dialled).toHaveLength(1);
  });

  test("that begins after the attempts stopped gets messages", async () => {
    const { pool, links } = build();
    pool.subscribe(TARGET, { onMessage: () => {} })();
    await until(() => links.length === 1);
    const received: TelemetryMessage[] = [];
    pool.subscribe(TARGET, { onMessage: (message) => void received.push(message) });
    await until(() => links[0]?.listeners.size === 1);
    links[0]?.say(MESSAGE);
    expect(received).toEqual([MESSAGE]);
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
    await delay(40);
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

describe("a held link", () => {
  test("is open without users or watchers, and is opened again when it is lost", async () => {
    const { pool, links } = build({ idleMs: 20 });
    await pool.hold([TARGET]);
    await until(() => links.length === 1);
    await delay(60);
    expect(links[0]?.state).toBe("ready");
    links[0]?.close("the vehicle rebooted");
    await until(() => links.length === 2);
    await pool.hold([]);
    await until(() => links[1]?.state === "closed");
  });

  test("has our heartbeats only while somebody uses or watches the vehicle too", async () => {
    const { pool, links } = build({ idleMs: 30 });
    await pool.hold([TARGET]);
    await until(() => links.length === 1);
    await until(() => links[0]?.heartbeats === false);
    const stop = pool.subscribe(TARGET, { onMessage: () => {} });
    expect(links[0]?.heartbeats).toBe(true);
    stop();
    expect(links[0]?.heartbeats).toBe(true);
    await until(() => links[0]?.heartbeats === false);
    await pool.withLink(TARGET, async () => expect(links[0]?.heartbeats).toBe(true));
    await until(() => links[0]?.heartbeats === false);
    expect(links).toHaveLength(1);
  });

  test("is sent the vehicle's streams, and decodes them only while somebody watches", async () => {
    const { pool, links } = build();
    await pool.hold([TARGET]);
    await until(() => links[0]?.streams === true);
    const decodes = () => links[0]?.listeners.size === 1;
    expect(decodes()).toBe(false);
    const stops = [pool.subscribe(TARGET, { onMessage() {} }), pool.subscribe(TARGET, { onMessage() {} })];
    expect(decodes()).toBe(true);
    for (const stop of stops) stop();
    expect([decodes(), links[0]?.streams]).toEqual([false, true]);
    await pool.hold([]);
    expect(links[0]?.streams).toBe(false);
  });

  test("that its owner closes stays closed until somebody uses it", async () => {
    const { pool, links } = build();
    await pool.hold([TARGET]);
    await until(() => links.length === 1);
    await pool.closeEverywhere(TARGET.key, CLOSED_BY_OWNER);
    await pool.hold([TARGET]);
    await delay(20);
    expect(links).toHaveLength(1);
    await pool.withLink(TARGET, async () => {});
    await pool.hold([TARGET]);
    pool.close(TARGET.key, "the drone's address changed");
    await pool.hold([TARGET]);
    await until(() => links.length === 3);
  });
});
