import { asRoot } from "../../testing/system/namespaces";
import { hubPair } from "../../testing/system/namespaces/hub-pair";
import { Takeovers } from "../../testing/system/namespaces/takeovers";
import { TIMED_TAKEOVERS_MS, timeTakeovers } from "../../testing/system/timed-takeovers";

/** The table stands in docs/operation/several-hubs.md. */
const ways = [
  ["is killed", "SIGKILL"],
  ["ends in order", "SIGTERM"],
] as const;

describe.each([
  [3, 1_000],
  [3, 250],
  [1, 250],
])("with a Lease of %d s and an address that asks every %d ms", (seconds, askEveryMs) => {
  let takeovers: Takeovers;
  beforeAll(async () => {
    if (process.getuid?.() !== 0) return;
    const env = { DB_REFRESH_SECONDS: "2", HUB_LEASE_DURATION_SECONDS: `${seconds}` };
    const pair = await hubPair(env, { askEveryMs });
    takeovers = new Takeovers(pair, 1_000 * seconds);
    for (const hub of pair.hubs) await hub.start();
    await pair.connect();
  }, 120_000);

  asRoot.each(ways)(
    "clients are back within seconds when a hub %s",
    async (way, signal) => {
      const where = `Lease of ${seconds} s, address asked every ${askEveryMs} ms`;
      await timeTakeovers(`${where}, a hub ${way}`, async () => {
        await takeovers.settle();
        const { serving, standby } = takeovers;
        serving.signal(signal);
        const { takenMs, backMs } = await takeovers.measure(serving, standby);
        // The standby does not wait for the end of a lease that was given up.
        if (signal === "SIGTERM" && seconds === 3) expect(takenMs).toBeLessThan(2_000);
        await serving.ended();
        return backMs;
      });
    },
    TIMED_TAKEOVERS_MS,
  );
});
