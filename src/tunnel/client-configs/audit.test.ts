import { randomUUID } from "node:crypto";
import { configKey } from "../../domain/client-config";
import type { Ipv4 } from "../../domain/ipv4";
import { type Member, toMember } from "../../domain/peers";
import { openObjects } from "../../platform/objects/client";
import { createLogger } from "../../platform/process/log";
import { freshObjects } from "../../testing/fresh-servers";
import { until } from "../../testing/until";
import { generateKeyPair } from "../wireguard/keys";
import { Keyring } from "./keyring";
import { publishConfig } from "./publish";
import { ConfigStore, damagedKey, tombstoneKey } from "./store";
import type { HubForClients } from "./text";

const hub: HubForClients = {
  plane: "users",
  publicKey: generateKeyPair().publicKey,
  endpointHost: "vpn.example.com",
  dns: "172.31.0.2",
};
const MINUTE_MS = 60_000;

let store: ConfigStore;
let now: number;
let audits: number;
let ring: Keyring;

beforeEach(async () => {
  const objects = await freshObjects("vpn-test");
  const s3 = openObjects({
    S3_ENDPOINT: objects.url,
    S3_REGION: "us-east-1",
    S3_ACCESS_KEY_ID: objects.accessKeyId,
    S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
  });
  store = new ConfigStore(s3, "vpn-test");
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
  const members = Array.from({ length: count }, (_, index) =>
    toMember({
      plane: "users",
      rowId: index + 1,
      keyId: randomUUID(),
      ip: `10.70.1.${index + 1}` as Ipv4,
    }),
  );
  for (const member of members) await publishConfig(store, member, hub);
  return members;
}

/** Ticks that go on until so many audits were made; one that is under way is not begun again. */
const audited = (members: readonly Member[], count: number) =>
  until(() => {
    ring.attend(members, new Set(), true);
    return audits === count;
  });

const isPublished = async (member: Member) => (await store.get(configKey(member))) !== undefined;

test("a config whose row went while no daemon knew of it goes to the tombstones, the others stay", async () => {
  const [gone, kept] = (await publishUnindexed(2)) as [Member, Member];
  const text = await store.get(configKey(gone));
  ring.attend([kept], new Set(), true);
  await until(async () => !(await isPublished(gone)));
  expect(await store.get(tombstoneKey(gone.id))).toBe(text);
  expect(await isPublished(kept)).toBe(true);
});

test("one that does not say whose it was is put aside", async () => {
  await store.put("vpn/users/9.conf", "PrivateKey = ");
  ring.attend([], new Set(), true);
  await until(async () => (await store.get("vpn/users/9.conf")) === undefined);
  expect(await store.get(damagedKey("users/9"))).toBe("PrivateKey = ");
});

test("many at once go only after three audits have agreed", async () => {
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

test("before the rows have been read no config is anybody's to bury", async () => {
  const [member] = (await publishUnindexed(1)) as [Member];
  ring.start();
  await ring.stop();
  expect(await isPublished(member)).toBe(true);
});
