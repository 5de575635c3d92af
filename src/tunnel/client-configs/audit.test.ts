import { configKey } from "../../domain/client-config";
import type { Member } from "../../domain/peers";
import { createLogger } from "../../platform/process/log";
import { until } from "../../testing/until";
import { freshConfigStore, hubForClients as hub, newMember } from "../../testing/worlds/client-configs";
import { Keyring } from "./keyring";
import { publishConfig } from "./publish";
import { type ConfigStore, damagedKey, tombstoneKey } from "./store";

const MINUTE_MS = 60_000;

let store: ConfigStore;
let now: number;
let audits: number;
let ring: Keyring;

beforeEach(async () => {
  store = (await freshConfigStore()).store;
  now = Date.now();
  audits = 0;
  ring = new Keyring({
    store,
    hubs: { users: hub },
    auditDelayMs: -1,
    log: createLogger("test", "silent"),
    clock: { now: () => new Date(now) },
    mayWrite: () => true,
    onKeys: () => {},
    onFailure: () => {},
    onDamaged: () => {},
    onLost: () => audits++,
  });
});
afterEach(() => ring.stop());

/** As a daemon leaves them that is killed before it has written the index. */
async function publishUnindexed(count: number): Promise<Member[]> {
  const members = Array.from({ length: count }, newMember);
  for (const member of members) await publishConfig(store, member, hub);
  return members;
}

/** Ticks that go on until so many audits were made; one that is under way is not begun again. */
const audited = (members: readonly Member[], count: number) =>
  until(() => {
    ring.setMembers(members, new Set(), true);
    return audits === count;
  });

const isPublished = async (member: Member) => (await store.get(configKey(member))) !== undefined;

test("a config whose row went while no daemon knew of it goes to the tombstones, the others stay", async () => {
  const [gone, kept] = (await publishUnindexed(2)) as [Member, Member];
  const text = await store.get(configKey(gone));
  ring.setMembers([kept], new Set(), true);
  await until(async () => !(await isPublished(gone)));
  expect(await store.get(tombstoneKey(gone.id))).toBe(text);
  expect(await isPublished(kept)).toBe(true);
});

test("a config that does not name its row is put aside", async () => {
  await store.put("vpn/users/9.conf", "PrivateKey = ");
  ring.setMembers([], new Set(), true);
  await until(async () => (await store.get("vpn/users/9.conf")) === undefined);
  expect(await store.get(damagedKey("users/9"))).toBe("PrivateKey = ");
});

test("many at once go only after three audits have confirmed it", async () => {
  const [first, ...others] = (await publishUnindexed(7)) as [Member, ...Member[]];
  for (const audit of [1, 2]) {
    await audited([], audit);
    now += 6 * MINUTE_MS;
  }
  for (const member of [first, ...others]) expect(await isPublished(member)).toBe(true);
  await audited([first], 3);
  await ring.stop();
  for (const member of others) expect(await isPublished(member)).toBe(false);
  expect(await isPublished(first)).toBe(true);
});

test("the config of a row that went is retired at the next tick, without an audit", async () => {
  const [gone, kept] = [newMember(), newMember()];
  await until(async () => {
    ring.setMembers([gone, kept], new Set(), true);
    return (await isPublished(gone)) && (await isPublished(kept)) && audits === 1;
  });
  await until(async () => {
    ring.setMembers([kept], new Set(), true);
    return !(await isPublished(gone));
  });
  expect(await store.get(tombstoneKey(gone.id))).toBeDefined();
  expect(await isPublished(kept)).toBe(true);
  expect(audits).toBe(1);
});

test("before the rows have been read, no config goes to the tombstones", async () => {
  const [member] = (await publishUnindexed(1)) as [Member];
  ring.start();
  await ring.stop();
  expect(await isPublished(member)).toBe(true);
});
