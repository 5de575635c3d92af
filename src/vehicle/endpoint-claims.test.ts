import { fakeLinkPools, TARGET } from "../testing/fakes/fake-link-pool";
import { until } from "../testing/until";
import type { LinkTarget } from "./byte-stream";

const build = fakeLinkPools();

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
