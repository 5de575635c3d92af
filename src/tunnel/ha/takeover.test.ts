import type { LivePeer } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";
import { createLogger } from "../../platform/process/log";
import { until } from "../../testing/until";
import { SimulatedOs } from "../os/simulated-os";
import { generateKeyPair } from "../wireguard/keys";
import { TakeoverHandshakes } from "./takeover";

const peer = (publicKey: PublicKey, index: number, latestHandshake = 0): LivePeer => ({
  publicKey,
  endpoint: undefined,
  allowedIps: [`10.70.${Math.floor(index / 250)}.${(index % 250) + 2}/32`],
  latestHandshake,
  receivedBytes: 0,
  sentBytes: 0,
});

/** A hub that is about to take over this many peers, of which the last has no endpoint. */
async function hub(count: number) {
  const os = new SimulatedOs();
  await os.run(["ip", "link", "add", "users0", "type", "wireguard"]);
  const keys = Array.from({ length: count }, () => generateKeyPair().publicKey);
  const peers = new Map(keys.map((key, index) => [key, peer(key, index)]));
  for (const [key, { allowedIps }] of peers) {
    await os.run(["wg", "set", "users0", "peer", key, "allowed-ips", allowedIps.join()]);
  }
  os.commands.length = 0;
  const state = { isActive: true, due: 0 };
  const calls = new TakeoverHandshakes({
    os,
    networkInterface: "users0",
    isActive: () => state.isActive,
    endpoints: {
      of: (key) => (key === keys.at(-1) ? undefined : `192.0.2.7:${1_000 + keys.indexOf(key)}`),
    },
    onDue: () => {
      state.due++;
    },
    log: createLogger("test", "silent"),
  });
  return { os, keys, peers, calls, state };
}

test("endpoints are set while the interface is down; then the hub sends a handshake to each peer with an endpoint", async () => {
  const { os, keys, peers, calls } = await hub(3);
  const [one, two] = keys;
  expect(await calls.prepare()).toBe(true);
  expect(os.commands).toEqual([
    `wg set users0 peer ${one} endpoint 192.0.2.7:1000 peer ${two} endpoint 192.0.2.7:1001`,
  ]);
  os.commands.length = 0;
  await calls.start(peers);
  expect(os.commands).toEqual([
    `wg set users0 peer ${one} persistent-keepalive 25 peer ${two} persistent-keepalive 25`,
  ]);
});

test("an interface that is up is not changed", async () => {
  const { os, calls } = await hub(3);
  await os.run(["ip", "link", "set", "users0", "mtu", "1420", "up"]);
  os.commands.length = 0;
  expect(await calls.prepare()).toBe(false);
  expect(os.commands).toEqual([]);
});

test("peers without an answer get a new handshake, nine in all; peers that answered get none", async () => {
  const { os, keys, peers, calls, state } = await hub(3);
  const [one, two] = keys as [PublicKey, PublicKey];
  await calls.start(peers);
  expect(calls.isRetryDue).toBe(false);
  await until(() => state.due === 1);
  expect(calls.isRetryDue).toBe(true);
  peers.set(two, peer(two, 1, 1_700_000_000));
  os.commands.length = 0;
  await calls.retry(peers);
  const anew = `wg set users0 peer ${one} remove peer ${one} endpoint 192.0.2.7:1000 persistent-keepalive 25 allowed-ips 10.70.0.2/32`;
  expect(os.commands).toEqual([anew]);
  for (const round of [2, 3, 4, 5, 6, 7, 8]) {
    await until(() => state.due === round);
    await calls.retry(peers);
  }
  expect(os.commands).toEqual(Array(8).fill(anew));
  const from = performance.now();
  await until(() => performance.now() - from > 1_200);
  expect([calls.isRetryDue, state.due]).toEqual([false, 8]);
});

test("a hub that loses its lease sends no more handshakes", async () => {
  const { os, peers, calls, state } = await hub(600);
  os.fault = () => {
    state.isActive = false;
  };
  await calls.start(peers);
  expect(os.commands).toHaveLength(1);
  expect(calls.isRetryDue).toBe(false);
});

test("a peer whose handshake cannot be sent does not stop the others' handshakes", async () => {
  const { os, peers, calls } = await hub(600);
  let refused = 0;
  os.fault = () => {
    if (refused++ === 0) throw new Error("Invalid argument");
  };
  await calls.start(peers);
  // The refused batch is tried one by one, the other two as they are.
  expect(os.commands).toHaveLength(250 + 2);
});
