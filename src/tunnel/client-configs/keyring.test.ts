import { EventEmitter, once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configKey } from "../../domain/client-config";
import { type Member, toMember } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";
import { createLogger } from "../../platform/process/log";
import { freshFolder } from "../../testing";
import { until } from "../../testing/until";
import { freshConfigStore, hubForClients as hub, newMember } from "../../testing/worlds/client-configs";
import { type InterruptibleLink, interruptibleLink } from "../../testing/worlds/interruptible-link";
import { generateKeyPair, publicKeyOf } from "../wireguard/keys";
import { Keyring, type KeyringOptions } from "./keyring";
import { LocalIndexCopy } from "./peer-index";
import { type ConfigDamage, publishConfig } from "./publish";
import { type ConfigStore, INDEX_KEY, tombstoneKey } from "./store";
import { readClientConfig } from "./text";

let store: ConfigStore;
/** The same over a link that a test can cut. */
let distant: { readonly store: ConfigStore; readonly link: InterruptibleLink };
const logged: string[] = [];
let failures: Error[] = [];
let damages: ConfigDamage[] = [];
let lost = 0;
const rings: Keyring[] = [];

beforeAll(async () => {
  const fresh = await freshConfigStore();
  store = fresh.store;
  const link = await interruptibleLink(fresh.url);
  distant = { store: fresh.storeAt(link.url), link };
});
beforeEach(() => {
  failures = [];
  damages = [];
  lost = 0;
});
afterEach(async () => {
  for (const ring of rings.splice(0)) await ring.stop();
});

/** A keyring as the next daemon would have it: it knows only the store's contents. */
function newRing(settings = hub, mayWrite = () => true, more: Partial<KeyringOptions> = {}): Keyring {
  const ring = new Keyring({
    store,
    hubs: { users: settings },
    auditDelayMs: -1,
    log: createLogger("test", "trace", { write: (line) => void logged.push(line) }),
    clock: { now: () => new Date() },
    mayWrite,
    onKeys: () => {},
    onFailure: (error) => failures.push(error),
    onDamaged: (damage) => damages.push(damage),
    onLost: (count) => {
      lost = count;
    },
    ...more,
  });
  rings.push(ring);
  return ring;
}

async function keysOf(ring: Keyring, members: readonly Member[]): Promise<PublicKey[]> {
  await until(() => {
    ring.setMembers(members, new Set(), false);
    return known(ring, members).length === members.length;
  });
  return known(ring, members);
}

/** The keys that the ring knows of these members. */
const known = (ring: Keyring, members: readonly Member[]): PublicKey[] =>
  members.flatMap((member) => ring.keys.get(member.id)?.publicKey ?? []);

/** What is in the store, as a client would see it. */
const storedKey = async (member: Member) =>
  publicKeyOf(readClientConfig((await store.get(configKey(member))) ?? "").privateKey as never);

test("after a restart the same keys come back, without a config being read", async () => {
  const members = [newMember(), newMember()];
  const first = newRing();
  const keys = await keysOf(first, members);
  await first.stop();
  const reads: string[] = [];
  const { get } = store;
  store.get = function (key) {
    reads.push(key);
    return get.call(this, key);
  };
  expect(await keysOf(newRing(), members)).toEqual(keys);
  store.get = get;
  expect(reads.filter((key) => key.endsWith(".conf"))).toEqual([]);
});

test("a daemon that restarts while the store is away knows its members by the node's own copy, and writes nothing", async () => {
  const members = [newMember(), newMember()];
  const gone = newMember();
  const copy = new LocalIndexCopy(join(freshFolder("copy"), "index.json"), createLogger("test", "silent"));
  const first = newRing(hub, () => true, { copy });
  const keys = await keysOf(first, [...members, gone]);
  await first.stop();
  distant.link.cut();
  try {
    const ring = newRing(hub, () => true, { copy, store: distant.store });
    ring.start();
    expect(known(ring, members)).toEqual(keys.slice(0, 2));
    const late = newMember();
    ring.setMembers([...members, late], new Set(keys.slice(0, 2)), true);
    await until(() => failures.length > 0);
    expect(known(ring, [late])).toEqual([]);
    distant.link.mend();
    // Once the store answers, new members are published and removed ones go to the tombstones.
    expect(await keysOf(ring, [...members, late])).toHaveLength(3);
    await until(async () => (await store.get(configKey(gone))) === undefined);
    expect(await storedKey(members[0] as Member)).toBe(keys[0]);
  } finally {
    distant.link.mend();
  }
});

test("a copy that is damaged, or of another fleet, changes no peer's key", async () => {
  const [member, other] = [newMember(), newMember()];
  const first = newRing();
  const [key] = await keysOf(first, [member]);
  await first.stop();
  const path = join(freshFolder("copy"), "index.json");
  const entries = {
    [other.id]: { row: member.rowId, key: generateKeyPair().publicKey, bytes: 1, template: "" },
  };
  for (const text of ["{", JSON.stringify({ version: 1, peers: entries })]) {
    writeFileSync(path, text);
    const ring = newRing(hub, () => true, { copy: new LocalIndexCopy(path, createLogger("test", "silent")) });
    ring.start();
    expect(await keysOf(ring, [member])).toEqual([key]);
    ring.setMembers([member], new Set(), true);
    await ring.stop();
    expect(await storedKey(member)).toBe(key);
  }
});

test("a copy that cannot be written is logged, and publishing goes on", async () => {
  const said: string[] = [];
  const log = createLogger("test", "trace", { write: (line) => void said.push(line) });
  const file = join(freshFolder("copy"), "file");
  writeFileSync(file, "");
  const ring = newRing(hub, () => true, { copy: new LocalIndexCopy(join(file, "index.json"), log) });
  await keysOf(ring, [newMember()]);
  await ring.stop();
  expect(said.join("")).toContain("Cannot keep a copy of the client configs' index");
});

test("without the index the same keys come back from the configs", async () => {
  const members = [newMember(), newMember()];
  const first = newRing();
  const keys = await keysOf(first, members);
  await first.stop();
  await store.delete(INDEX_KEY);
  expect(await keysOf(newRing(), members)).toEqual(keys);
});

test("an index that cannot be read is named, and the configs are read", async () => {
  const members = [newMember()];
  const first = newRing();
  const keys = await keysOf(first, members);
  await first.stop();
  await store.put(INDEX_KEY, '{"version": 1, "peers": {"users/');
  expect(await keysOf(newRing(), members)).toEqual(keys);
  expect(failures).toHaveLength(1);
});

test("a config cut off before its key is named and put aside, a new one made, and the rest goes on", async () => {
  const [damaged, sound] = [newMember(), newMember()];
  const { publicKey } = await publishConfig(store, damaged, hub);
  const soundKey = (await publishConfig(store, sound, hub)).publicKey;
  const whole = (await store.get(configKey(damaged))) as string;
  const rest = whole.slice(0, whole.indexOf("PrivateKey") + 20);
  await store.put(configKey(damaged), rest);
  await store.delete(INDEX_KEY);
  const [newKey, otherKey] = await keysOf(newRing(), [damaged, sound]);
  expect(newKey).not.toBe(publicKey);
  expect(newKey).toBe(await storedKey(damaged));
  expect(otherKey).toBe(soundKey);
  expect(damages).toEqual(["put-aside"]);
  expect(logged.join("")).toContain(`"object":"${configKey(damaged)}","damage":"put-aside"`);
  expect(await store.get(`tombstones/damaged/${damaged.id}.conf`)).toBe(rest);
});

test("a config that is lost while its key is known is named; its key is never made anew", async () => {
  const member = newMember();
  const first = newRing();
  const keys = await keysOf(first, [member]);
  await first.stop();
  await store.put(configKey(member), "#");
  const second = newRing();
  expect(await keysOf(second, [member])).toEqual(keys);
  await until(() => lost === 1);
  expect(await store.get(configKey(member))).toBe("#");
});

test("a removed member's config goes to the tombstones, and comes back with the same key when the row does", async () => {
  const member = newMember();
  const ring = newRing();
  const keys = await keysOf(ring, [member]);
  await until(async () => {
    ring.setMembers([], new Set(), true);
    return (await store.get(tombstoneKey(member.id))) !== undefined;
  });
  await until(async () => (await store.get(configKey(member))) === undefined);
  expect(await keysOf(ring, [member])).toEqual(keys);
  // The key may still be known from before; the config is back a moment later.
  await until(async () => (await store.get(tombstoneKey(member.id))) === undefined);
  expect(await storedKey(member)).toBe(keys[0]);
});

test("a member whose peer still lives keeps its config", async () => {
  const member = newMember();
  const ring = newRing();
  const keys = await keysOf(ring, [member]);
  ring.setMembers([], new Set(keys), true);
  await ring.stop();
  expect(await storedKey(member)).toBe(keys[0]);
});

test("a row id under another key id gets a new key; nothing of the old one's survives in its place", async () => {
  const before = newMember();
  const after = toMember({ ...before, keyId: "ffffffff-0000-4000-8000-000000000000" });
  const ring = newRing();
  const [oldKey] = await keysOf(ring, [before]);
  const [newKey] = await keysOf(ring, [after]);
  expect(newKey).not.toBe(oldKey);
  await ring.stop();
  expect(await storedKey(after)).toBe(newKey);
});

test("configs are written anew, with their keys, when the hub's address changes", async () => {
  const member = newMember();
  const first = newRing();
  const keys = await keysOf(first, [member]);
  await first.stop();
  const moved = newRing({ ...hub, endpointHost: "new.example.com" });
  await keysOf(moved, [member]);
  await until(
    async () => (await store.get(configKey(member)))?.includes("Endpoint = new.example.com:51823") ?? false,
  );
  expect(await storedKey(member)).toBe(keys[0]);
});

/** Every object of the store, as it is. */
async function contents(): Promise<Record<string, string | undefined>> {
  const keys = [
    INDEX_KEY,
    ...[...(await store.configs()), ...(await store.tombstones())].map(({ key }) => key),
  ];
  return Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await store.get(key)])));
}

test("a standby writes nothing: it learns keys from the index and leaves the rest to the hub that serves", async () => {
  const [old, added, removed] = [newMember(), newMember(), newMember()];
  const serving = newRing();
  const keys = await keysOf(serving, [old, removed]);
  // It is written a moment after the keys are known.
  await until(async () => (await store.get(INDEX_KEY))?.includes(removed.id) ?? false);
  await store.put(configKey(old), "cut off");
  const before = await contents();
  const standby = newRing(hub, () => false);
  await until(() => {
    standby.setMembers([old, added], new Set(), true);
    return known(standby, [old]).length === 1;
  });
  expect(known(standby, [old])).toEqual([keys[0]]);
  expect(known(standby, [added])).toEqual([]);
  for (let tick = 0; tick < 3; tick++) standby.setMembers([old, added], new Set(), true);
  await standby.stop();
  expect(await contents()).toEqual(before);

  const [, addedKey] = await keysOf(serving, [old, added]);
  await until(async () => (await store.get(INDEX_KEY))?.includes(added.id) ?? false);
  const later = newRing(hub, () => false);
  await until(() => {
    later.setMembers([old, added], new Set(), true);
    return known(later, [added]).length === 1;
  });
  expect(known(later, [added])).toEqual([addedKey]);
});

test("a standby that takes over reads the index first: it makes no second key, and buries no config of a successor", async () => {
  const before = newMember();
  const after = toMember({ ...before, keyId: "eeeeeeee-0000-4000-8000-000000000000" });
  const serving = newRing();
  const [oldKey] = await keysOf(serving, [before]);
  await until(async () => (await store.get(INDEX_KEY))?.includes(before.id) ?? false);
  let isActive = false;
  const standby = newRing(hub, () => isActive);
  await until(() => {
    standby.setMembers([before], new Set(), true);
    return known(standby, [before])[0] === oldKey;
  });
  // The row gets another key from the hub that serves, of which the standby has not heard when its turn comes.
  const [newKey] = await keysOf(serving, [after]);
  await serving.stop();
  isActive = true;
  expect(await keysOf(standby, [after])).toEqual([newKey]);
  for (let tick = 0; tick < 4; tick++) standby.setMembers([after], new Set(), true);
  await standby.stop();
  expect(await storedKey(after)).toBe(newKey);
});

test("stopping waits for a write of the index that is under way, so that none comes after it", async () => {
  const gate = new EventEmitter();
  const order: string[] = [];
  const put: ConfigStore["put"] = async (key, ...rest) => {
    if (key !== INDEX_KEY) return store.put(key, ...rest);
    gate.emit("writing");
    await once(gate, "go on");
    await store.put(key, ...rest);
    order.push("written");
    return undefined;
  };
  const ring = newRing(hub, () => true, { store: Object.create(store, { put: { value: put } }) });
  const writing = once(gate, "writing");
  await keysOf(ring, [newMember()]);
  await writing;
  const stopped = ring.stop().then(() => order.push("stopped"));
  gate.emit("go on");
  await stopped;
  expect(order).toEqual(["written", "stopped"]);
});

test("no private key was ever logged", async () => {
  const text = logged.join("");
  expect(text).toContain("Published a client config");
  for (const { key } of await store.configs()) {
    const { privateKey } = readClientConfig((await store.get(key)) ?? "");
    if (privateKey) expect(text).not.toContain(privateKey);
  }
});
