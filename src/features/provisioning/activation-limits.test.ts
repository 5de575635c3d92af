import {
  type GatewayWithTunnel,
  gatewayWithTunnel,
  type NewDrone,
} from "../../testing/worlds/gateway-with-tunnel";
import { reissueActivation } from "./reissue-activation";

const activate = (token: string, { gateway }: GatewayWithTunnel, from = "192.0.2.1") =>
  gateway.api.with({ "x-activation-token": token, "x-forwarded-for": from }).get("/drone/activate");

test("ten wrong tokens from one address are allowed; a right one in between neither counts nor starts the count anew", async () => {
  const guarded = await gatewayWithTunnel({ env: { LOGIN_FAILURES_PER_15_MINUTES: "10" } });
  const owner = await guarded.gateway.newUser();
  const [first, second] = [await guarded.newDrone(owner), await guarded.newDrone(owner)];
  const guess = async () => (await activate("0000000000", guarded)).status;
  for (let tries = 0; tries < 9; tries++) expect(await guess()).toBe(406);
  expect((await activate(first.activation_token, guarded)).status).toBe(200);
  expect(await guess()).toBe(406);
  expect(await guess()).toBe(429);
  expect((await activate(second.activation_token, guarded)).status).toBe(429);
});

test("a hangar full of drones may be activated at once from one address", async () => {
  const guarded = await gatewayWithTunnel({ env: { LOGIN_FAILURES_PER_15_MINUTES: "2" } });
  const owner = await guarded.gateway.newUser();
  const drones: NewDrone[] = [];
  for (let n = 0; n < 12; n++) drones.push(await guarded.newDrone(owner));
  const replies = await Promise.all(
    drones.map(({ activation_token }) => activate(activation_token, guarded)),
  );
  expect(replies.map(({ status }) => status)).toEqual(drones.map(() => 200));
});

test("many at once count one by one", async () => {
  const guarded = await gatewayWithTunnel({
    env: { LOGIN_FAILURES_PER_15_MINUTES: "10" },
    tunnel: "later",
  });
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async (_, n) => (await activate(String(n).padStart(10, "0"), guarded)).status),
  );
  expect(statuses.filter((status) => status === 406)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(20);
});

test("wrong tokens from many networks are limited in total, and then no token is looked up", async () => {
  const guarded = await gatewayWithTunnel({
    env: {
      ...{ LOGIN_FAILURES_PER_15_MINUTES: "10", QUOTA_ACTIVATION_FAILURES: "40" },
      TRUSTED_PROXIES: "loopback",
    },
  });
  const { activation_token } = await guarded.newDrone(await guarded.gateway.newUser());
  const statuses: number[] = [];
  for (let n = 0; n < 75; n++) {
    const from = `2001:db8:${n}::1`;
    statuses.push((await activate(String(n).padStart(10, "0"), guarded, from)).status);
    // The next network of the same site.
    if (n >= 50) statuses.push((await activate("0000000000", guarded, `2001:db8:${n}:1::1`)).status);
  }
  expect(statuses).toEqual([...Array(40).fill(406), ...Array(60).fill(429)]);
  const { status, body, headers } = await activate(activation_token, guarded, "198.51.100.4");
  expect([status, Number(headers.get("retry-after")) > 60]).toEqual([429, true]);
  expect(body.error).toMatch(/quota activation_failures .*Try again in/);
  const metrics = await guarded.gateway.deps.registry.metrics();
  expect(metrics).toMatch(/fleet_quota_refusals_total\{quota="activation_failures"[^}]*\} 61/);
});

test("a token expires seven days after it was made: 406 with advice; a new one from the operator is good", async () => {
  const world = await gatewayWithTunnel();
  const { db } = world.gateway.deps;
  const { id, activation_token } = await world.newDrone(await world.gateway.newUser());
  const days = async () => {
    const { rows } = await db.raw(
      "SELECT extract(epoch FROM activation_expires_at - now()) / 86400 AS days FROM drones WHERE id = ?",
      [id],
    );
    return Number(rows[0].days);
  };
  expect(await days()).toBeCloseTo(7, 1);
  await db("drones")
    .where({ id })
    .update({ activation_expires_at: db.raw("now() - interval '1 s'") });
  const { status, body } = await activate(activation_token, world);
  expect({ status, body }).toEqual({
    status: 406,
    body: { error: expect.stringMatching(/expired.*admin reissue-activation --drone/) },
  });
  const renewed = await reissueActivation(db, id);
  expect(await days()).toBeCloseTo(7, 1);
  expect((await activate(renewed, world)).status).toBe(200);
});
