import { setTimeout as delay } from "node:timers/promises";
import { hubLeaseGroup } from "../../platform/config/hub-lease";
import { asRoot } from "../../testing/system/namespaces";
import { droneEchoes, type HubPair, hubPair, PAIR_LEASE } from "../../testing/system/namespaces/hub-pair";
import type { PairedHub } from "../../testing/system/namespaces/paired-hub";
import { standsBy, Takeovers, until } from "../../testing/system/namespaces/takeovers";

/** How long idle clients without saved endpoints are watched. */
const UNKNOWN_MS = 10_000;
/** The default durations. */
const LEASE_MS = 1_000 * hubLeaseGroup.HUB_LEASE_DURATION_SECONDS.parse(undefined);
const DEADLINE_MS = (2 * LEASE_MS) / 3;
const TAKEN_WITHIN_MS = 4 * LEASE_MS;
/** A client whose last packet has no answer shakes hands by itself; WireGuard answers each within ten seconds. */
const SETTLED_MS = 12_000;

let pair: HubPair;
let takeovers: Takeovers;

beforeAll(async () => {
  if (process.getuid?.() !== 0) return;
  pair = await hubPair({ DB_REFRESH_SECONDS: "2" });
  takeovers = new Takeovers(pair, LEASE_MS);
  const [a, b] = pair.hubs;
  await a.start();
  await until(() => pair.address.target === a);
  await b.start();
  await pair.connect();
}, 120_000);

beforeEach(async () => {
  if (process.getuid?.() !== 0) return;
  await takeovers.settle();
}, 150_000);

asRoot("a standby does not answer a client's handshakes", async () => {
  const [active, mute] = [takeovers.serving, takeovers.standby];
  const [sent, met] = [await mute.packetsSent(), await mute.packetsReceived()];
  await pair.address.routeTo(mute);
  await expect(pair.connect(3_000)).rejects.toThrow();
  expect(await mute.packetsReceived()).toBeGreaterThan(met);
  expect(await mute.packetsSent()).toBe(sent);
  await pair.address.routeTo(active);
});

asRoot(
  "a hub that was paused during a takeover sends no packet when it resumes",
  async () => {
    const [paused, other] = [takeovers.serving, takeovers.standby];
    paused.signal("SIGSTOP");
    const takenAt = await takeovers.taken(paused, other);
    const sent = await paused.packetsSent();
    await takeovers.clientsAreBack(other, takenAt);
    paused.signal("SIGCONT");
    await until(() => standsBy(paused));
    expect(await droneEchoes(pair)).toBe(true);
    expect(await paused.packetsSent()).toBe(sent);
    expect(takeovers.holder).toBe(other.name);
  },
  90_000,
);

asRoot(
  "a hub that loses only the API server stops before the other starts to serve, which needs no Postgres",
  async () => {
    const [cut, other] = [takeovers.serving, takeovers.standby];
    for (const { links } of pair.hubs) links.database.cut();
    cut.links.api.cut();
    const takenAt = await takeovers.taken(cut, other);
    const sent = await cut.packetsSent();
    await takeovers.clientsAreBack(other, takenAt);
    expect(await cut.packetsSent()).toBe(sent);
  },
  90_000,
);

asRoot(
  "without the API server the hub serves until its lease ends, then no hub does, and clients reconnect when it is back",
  async () => {
    const active = takeovers.serving;
    const renewed = () => pair.leases.leases.get(PAIR_LEASE)?.spec?.renewTime;
    const before = renewed();
    await until(() => renewed() !== before);
    pair.leases.cut();
    const cutAt = Date.now();
    expect(await droneEchoes(pair)).toBe(true);
    expect(Date.now() - cutAt).toBeLessThan(DEADLINE_MS);
    await until(async () => (await active.upPlanes()).length === 0);
    expect(Date.now() - cutAt).toBeLessThan(DEADLINE_MS + 2_000);
    const sent = () => Promise.all(pair.hubs.map((hub) => hub.packetsSent()));
    const sentBefore = await sent();
    // Long enough for a standby to think that the lease has run out.
    await until(() => Date.now() - cutAt > LEASE_MS + DEADLINE_MS, 2 * LEASE_MS);
    expect(await sent()).toEqual(sentBefore);
    expect(await Promise.all(pair.hubs.map((hub) => hub.upPlanes()))).toEqual([[], []]);
    const mendedAt = Date.now();
    pair.leases.mend();
    const isReady = async (hub: PairedHub) => (await hub.readiness()) === "ready";
    await until(async () => (await Promise.all(pair.hubs.map(isReady))).includes(true), TAKEN_WITHIN_MS);
    await takeovers.clientsAreBack(takeovers.serving, mendedAt);
  },
  120_000,
);

asRoot(
  "a hub that is killed during its takeover is replaced",
  async () => {
    const [killed, other] = [takeovers.serving, takeovers.standby];
    killed.signal("SIGKILL");
    await until(() => takeovers.holder === other.name, TAKEN_WITHIN_MS);
    other.signal("SIGKILL");
    await Promise.all([killed.ended(), other.ended()]);
    await killed.start();
    await takeovers.measure(other, killed);
  },
  120_000,
);

asRoot(
  "wireguard-go that is killed during a takeover is restarted with its peers, and they get handshakes",
  async () => {
    const [killed, other] = [takeovers.serving, takeovers.standby];
    killed.signal("SIGKILL");
    await until(() => takeovers.holder === other.name, TAKEN_WITHIN_MS);
    const takenAt = Date.now();
    await other.node.shell("kill -9 $(pidof wireguard-go)");
    await takeovers.clientsAreBack(other, takenAt);
    await killed.ended();
  },
  120_000,
);

asRoot(
  "without saved endpoints a hub takes over and logs it, and idle clients do not reconnect",
  async () => {
    const [killed, other] = [takeovers.serving, takeovers.standby];
    other.signal("SIGKILL");
    await other.ended();
    // Nothing is written there by the hub that serves, and sessions are too young for a handshake of the clients' own.
    killed.links.objects.cut();
    await pair.forgetEndpoints();
    await pair.connect();
    const spokeAt = Date.now();
    other.links.objects.cut();
    await other.start();
    await until(() => standsBy(other));
    await until(() => Date.now() - spokeAt > SETTLED_MS, 2 * SETTLED_MS);
    killed.signal("SIGKILL");
    const takenAt = await takeovers.taken(killed, other);
    await until(() => pair.address.target === other);
    expect(other.output.join("")).toContain("Cannot load the previous hub");
    // Without saved endpoints no client reconnects within the promised time.
    for (; Date.now() - takenAt < UNKNOWN_MS; await delay(500)) {
      expect(await other.handshakes()).toEqual([0, 0]);
    }
    // A client that sends a handshake is served.
    await pair.connect();
    await killed.ended();
  },
  120_000,
);
