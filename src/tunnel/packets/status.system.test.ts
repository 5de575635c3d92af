import { setTimeout as delay } from "node:timers/promises";
import { asRoot, type HubTestbed, hubTestbed } from "../../testing/system/namespaces";
import { until } from "../../testing/until";
import type { Tunnel } from "../index";
import { realOs } from "../os/os";

const tcp = (port: number) => ({ protocol: "tcp" as const, port });

let testbed: HubTestbed;
let tunnel: Tunnel;

beforeAll(async () => {
  if (process.getuid?.() !== 0) return;
  testbed = await hubTestbed();
  const env = { DB_REFRESH_SECONDS: "3600", USERS_MTU: "1300" };
  tunnel = await testbed.world.start({ os: testbed.hub.os, dataplane: "auto" }, env);
  const [ann] = testbed.operators;
  const [d1] = testbed.drones;
  await Promise.all([testbed.connect(ann, "users"), testbed.connect(d1, "drones")]);
  await d1.client.node.echo(tcp(5001));
  await until(() => ann.client.node.probe({ host: d1.ip, ...tcp(5001) }));
  await ann.client.node.stream("steady", { host: d1.ip, ...tcp(5001) });
}, 90_000);

/** As an operator asks on a node; `fetch` refuses a GET with a body. */
async function curl(path: string, body?: object): Promise<ReturnType<typeof JSON.parse>> {
  const sent = body ? ["-X", "GET", "-H", "content-type: application/json", "-d", JSON.stringify(body)] : [];
  const text = await realOs.run(["curl", "-sS", "--max-time", "5", ...sent, `${tunnel.url}${path}`]);
  return JSON.parse(text);
}

/** What `wg show IF` says of the peer with this address. */
async function shown(plane: "users0" | "drones0", ip: string) {
  const dump = await testbed.hub.shell(`wg show ${plane} dump`);
  const fields =
    dump
      .split("\n")
      .find((line) => line.includes(`\t${ip}/32\t`))
      ?.split("\t") ?? [];
  return { latest_handshake: Number(fields[4]), received: Number(fields[5]), sent: Number(fields[6]) };
}

asRoot("a peer with a handshake is up, with WireGuard's time of it; a peer without one is not", async () => {
  const [ann, ben] = testbed.operators;
  await until(async () => (await curl(`/status/user/${ann.ip}`)).status === true);
  const { latest_handshake } = await shown("users0", ann.ip);
  expect(latest_handshake).toBeGreaterThan(1_700_000_000);
  const up = { ip: ann.ip, status: true, configured: true, latest_handshake };
  expect(await curl(`/status/user/${ann.ip}`)).toEqual(up);
  const down = { ip: ben.ip, status: false, configured: true, latest_handshake: 0 };
  expect(await curl(`/status/user/${ben.ip}`)).toEqual(down);
});

asRoot(
  "GET /drones_status returns WireGuard's counters, which are read each second and not for each request",
  async () => {
    const [d1, d2] = testbed.drones;
    const ask = async () => await curl("/drones_status", { ips: [d1.ip, d2.ip, "10.71.9.9"] });
    const before = await shown("drones0", d1.ip);
    const replies = [await ask()];
    const seen = new Set<number>();
    const begun = performance.now();
    // Some twenty callers a second while the stream runs.
    while (performance.now() - begun < 5_000) {
      const reply = await ask();
      seen.add(reply[d1.id].received_bytes);
      replies.push(reply);
      await delay(30);
    }
    const after = await shown("drones0", d1.ip);
    const seconds = (performance.now() - begun) / 1_000;
    expect(replies.length).toBeGreaterThan(2 * seen.size);
    expect(seen.size).toBeGreaterThanOrEqual(3);
    expect(seen.size).toBeLessThanOrEqual(seconds + 2);
    const last = replies.at(-1);
    expect(Object.keys(last).map(Number).sort()).toEqual([d1.id, d2.id].sort());
    expect(last[d1.id]).toMatchObject({
      ip: d1.ip,
      is_active: true,
      latest_handshake: after.latest_handshake,
    });
    for (const [count, bound] of [
      ["received_bytes", "received"],
      ["sent_bytes", "sent"],
    ] as const) {
      expect(last[d1.id][count]).toBeGreaterThan(before[bound]);
      expect(last[d1.id][count]).toBeLessThanOrEqual(after[bound]);
    }
    expect(last[d2.id]).toEqual({
      ip: d2.ip,
      received_bytes: 0,
      sent_bytes: 0,
      latest_handshake: 0,
      is_active: false,
    });
  },
);

asRoot("TCP segments fit the MTU of both planes, whatever the clients' own MTU", async () => {
  const [ann] = testbed.operators;
  const [d1] = testbed.drones;
  const segment = async (member: typeof ann) =>
    Number(
      / mss:(\d+)/.exec(await member.client.node.shell("ss -tinH state established dst 10.70.0.0/15"))?.[1],
    );
  // The hub's users0 carries 1300 bytes, of which IP and TCP take 40 and the timestamps 12.
  expect(await segment(ann)).toBe(1_248);
  expect(await segment(d1)).toBe(1_248);
});
