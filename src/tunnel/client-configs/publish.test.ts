import { configKey } from "../../domain/client-config";
import { freshConfigStore, hubForClients, newMember } from "../../testing/worlds/client-configs";
import { clearOldTombstones, publishConfig } from "./publish";
import type { ConfigStore } from "./store";

let store: ConfigStore;
beforeAll(async () => {
  store = (await freshConfigStore()).store;
});

test("a config cut off behind its key is made whole with the same key", async () => {
  const member = newMember();
  const { publicKey } = await publishConfig(store, member, hubForClients);
  const whole = (await store.get(configKey(member))) as string;
  await store.put(configKey(member), whole.slice(0, whole.indexOf("DNS")));
  expect(await publishConfig(store, member, hubForClients)).toMatchObject({
    publicKey,
    origin: "rewritten",
    damage: "repaired",
  });
  expect(await store.get(configKey(member))).toBe(whole);
});

test("tombstones are deleted after thirty days, not before", async () => {
  await store.put("tombstones/users/x/10.70.0.2.conf", "x");
  const day = 24 * 60 * 60 * 1000;
  expect(await clearOldTombstones(store, new Date(Date.now() + 29 * day))).toBe(0);
  expect(await clearOldTombstones(store, new Date(Date.now() + 31 * day))).toBeGreaterThan(0);
  expect(await store.tombstones()).toEqual([]);
});
