import type { PublicKey } from "../../domain/wireguard";
import { createLogger } from "../../platform/process/log";
import { generateKeyPair } from "../wireguard/keys";
import { Endpoints } from "./endpoints";

const quiet = createLogger("test", "silent");
const newKey = (): PublicKey => generateKeyPair().publicKey;
const peer = (publicKey: PublicKey, endpoint: string | undefined) => ({
  ...{ publicKey, endpoint, latestHandshake: 0, allowedIps: [], receivedBytes: 0, sentBytes: 0 },
});

/** A store that both hubs of a test use. */
function newStore() {
  const store = { text: undefined as string | undefined, get: async () => store.text, put };
  async function put(_key: string, text: string): Promise<void> {
    store.text = text;
  }
  return store;
}

test("a hub that takes over loads the endpoints that the previous hub saved when it ended", async () => {
  const store = newStore();
  const [one, two] = [new Endpoints(store, quiet, () => true), new Endpoints(store, quiet, () => true)];
  const [kept, moved, gone, silent] = [newKey(), newKey(), newKey(), newKey()];
  two.record([peer(moved, "192.0.2.9:1000")]);
  one.record([peer(kept, "[2001:db8::7]:2000"), peer(moved, "192.0.2.7:1000"), peer(gone, "192.0.2.8:1")]);
  one.record([peer(silent, undefined)]);
  one.forget(gone);
  await one.flush();
  await two.load();
  expect([kept, moved, gone, silent].map(two.of)).toEqual([
    "[2001:db8::7]:2000",
    "192.0.2.7:1000",
    undefined,
    undefined,
  ]);
  await two.stop();
});

test("a standby writes nothing", async () => {
  const store = newStore();
  const standby = new Endpoints(store, quiet, () => false);
  standby.record([peer(newKey(), "192.0.2.7:1000")]);
  await standby.stop();
  expect(store.text).toBeUndefined();
});

test("a store that holds something else, or does not answer, gives no endpoints and stops nobody", async () => {
  const store = newStore();
  const hub = new Endpoints(store, quiet, () => true);
  const key = newKey();
  for (const text of [
    "no JSON",
    JSON.stringify({ [key]: "192.0.2.7:1000; rm" }),
    '{"no key": "192.0.2.7:1"}',
  ]) {
    store.text = text;
    await hub.load();
  }
  await new Endpoints({ ...store, get: () => new Promise(() => {}) }, quiet, () => true).load();
  expect(hub.of(key)).toBeUndefined();
});
