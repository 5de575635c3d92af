import { randomUUID } from "node:crypto";
import { Tokens } from "../features/accounts";
import { ApiClient } from "../testing/client";
import { eventually } from "../testing/until";
import { TestWatcher } from "../testing/watcher";
import { interruptibleLink } from "../testing/worlds/interruptible-link";
import { startReplicas, type TestReplicas } from "../testing/worlds/replicas";

import {
  startTestGateway,
  TEST_JWT_SECRET,
  type TestGateway,
  type TestUser,
} from "../testing/worlds/start-gateway";
import {
  startTestRelay,
  type TestDrone,
  type TestPilot,
  type TestRelay,
} from "../testing/worlds/start-relay";

const STRICT = { ACCESS_PROFILE: "strict", EDGE_SECRET: "a secret of the edge's own" };

let replicas: TestReplicas;
let relay: TestRelay;
let user: TestUser;

beforeAll(async () => {
  replicas = await startReplicas(STRICT);
  const { databaseUrl, redisUrl } = replicas.second;
  relay = await startTestRelay({ ACCESS_PROFILE: "strict" }, { databaseUrl, redisUrl });
});
beforeEach(async () => {
  user = await replicas.first.newUser();
});

/** A pilot whom the relay has admitted. */
async function steering(drone: TestDrone, token: string): Promise<TestPilot> {
  const { redis } = replicas.second.deps;
  const pilot = await relay.pilot(`/redispad/${drone.id}?access_token=${token}`).open();
  await eventually("the pilot hears the drone", async () => {
    await redis.publish(`${drone.ip}:output`, "hello");
    return pilot.frames.length > 0;
  });
  return pilot;
}

test("a log-out at one replica closes the token's sockets at every replica, and no others", async () => {
  const { first, second } = replicas;
  const other = await first.newUser();
  const again = first.features.account.tokens.pair(user.id).access_token;
  const ended = [first, second].map(({ url }) => new TestWatcher(url, user.token));
  const kept = [new TestWatcher(second.url, other.token), new TestWatcher(second.url, again)];
  for (const watcher of [...ended, ...kept]) await watcher.next("connected");
  expect((await user.api.delete("/logout")).status).toBe(200);
  for (const watcher of ended) {
    await eventually("it was disconnected", () => watcher.socket.disconnected);
    expect(watcher.all("error")).toEqual([{ message: expect.stringContaining("logged out") }]);
  }
  for (const watcher of kept) expect(watcher.socket.connected).toBe(true);
});

test("a log-out closes the token's relay sessions, and not those of another token", async () => {
  const drone = await relay.newDrone(user.id);
  const again = replicas.first.features.account.tokens.pair(user.id).access_token;
  const [ended, kept] = [await steering(drone, user.token), await steering(drone, again)];
  expect((await user.api.delete("/logout")).status).toBe(200);
  expect(await ended.closed).toEqual({ code: 4401, reason: "The token was logged out; sign in again." });
  expect(kept.closedWith).toBeUndefined();
});

test("a logged-out token is refused at every replica, by Socket.IO, at the relay, and at a replica started later", async () => {
  const { second } = replicas;
  const drone = await relay.newDrone(user.id);
  const admitted = await relay.pilot(`/redispad/${drone.id}?access_token=${user.token}`).open();
  expect(admitted.closedWith).toBeUndefined();
  await user.api.delete("/logout");
  const started = await startTestGateway({
    ...STRICT,
    DATABASE_URL: second.databaseUrl,
    REDIS_URL: second.redisUrl,
  });
  for (const gateway of [second, started]) {
    const api = new ApiClient(`${gateway.url}/api/v1`).as(user.token);
    expect((await api.get("/auth")).status).toBe(401);
    const watcher = new TestWatcher(gateway.url, user.token);
    expect(await watcher.next("error")).toEqual({ message: expect.stringContaining("logged out") });
    await eventually("it was disconnected", () => watcher.socket.disconnected);
  }
  const refused = await relay.pilot(`/redispad/${drone.id}?access_token=${user.token}`).open();
  expect(await refused.closed).toMatchObject({ code: 4401 });
});

test("a log-out without a notification closes the token's sockets at gateway and relay within seconds", async () => {
  const { second } = replicas;
  const watcher = new TestWatcher(second.url, user.token);
  await watcher.next("connected");
  const pilot = await steering(await relay.newDrone(user.id), user.token);
  const claims = second.features.account.tokens.userOf(user.token);
  const expires_at = new Date(Date.now() + 600_000);
  await second.deps.db("revoked_tokens").insert({ jti: claims?.jti, expires_at });
  await eventually("it was disconnected", () => watcher.socket.disconnected, 40_000);
  await eventually("the pilot was hung up on", () => pilot.closedWith?.code === 4401, 40_000);
}, 90_000);

/**
 * A user and tokens that a new password voids: the even ones from a replica whose clock is ahead, the odd ones from an
 * earlier release, whose tokens do not name the time of the password.
 */
async function userWithOldTokens(
  gateway: TestGateway,
  count = 1,
): Promise<{ user: TestUser; tokens: string[] }> {
  const { db } = gateway.deps;
  const one = await gateway.newUser();
  const password_changed_at = new Date(0);
  await db("users").where({ id: one.id }).update({ password_changed_at });
  const by = (aheadMs: number) => new Tokens(TEST_JWT_SECRET, { now: () => new Date(Date.now() + aheadMs) });
  const [ahead, before] = [by(60_000), by(-5_000)];
  return {
    user: one,
    tokens: Array.from(
      { length: count },
      (_, at) =>
        (at % 2 === 0 ? ahead.pair(one.id, { password_changed_at }) : before.pair(one.id)).access_token,
    ),
  };
}

/** What ends an account's tokens, and the message to its clients. */
const ends: Readonly<Record<string, { happens: (user: TestUser) => Promise<unknown>; said: string }>> = {
  "a new password": {
    happens: async ({ username }) => {
      const { first } = replicas;
      const token = first.features.account.tokens.reset(username);
      const reply = await first.api.as(token).post("/update-password", { password: "a new password" });
      expect(reply.status).toBe(200);
    },
    said: "The password has changed; sign in again.",
  },
  "disabling an account": {
    happens: ({ id }) => replicas.first.deps.db("users").where({ id }).update({ is_active: false }),
    said: "This user may not sign in any more.",
  },
  "deleting an account": {
    happens: async ({ id }) => {
      const { db } = replicas.first.deps;
      await db("drones").where({ user_id: id }).update({ deleted_at: new Date(), ip: null });
      await db("drones").where({ user_id: id }).delete();
      await db("users").where({ id }).delete();
    },
    said: "This user does not exist any more.",
  },
};

test.each(Object.keys(ends))(
  "%s closes the user's sockets at every replica and the relay, and voids the tokens",
  async (end) => {
    const { happens, said } = ends[end] as (typeof ends)[string];
    const { first, second } = replicas;
    const { user: theirs, tokens } = await userWithOldTokens(first, 2);
    const [token = "", other = ""] = tokens;
    const bystander = await first.newUser();
    const drone = await relay.newDrone(theirs.id);
    const watchers = [new TestWatcher(first.url, token), new TestWatcher(second.url, other)];
    const kept = new TestWatcher(second.url, bystander.token);
    for (const watcher of [...watchers, kept]) await watcher.next("connected");
    const pilot = await steering(drone, other);
    for (const { url } of [first, second])
      expect((await new ApiClient(`${url}/api/v1`).as(token).get("/auth")).status).toBe(200);

    await happens(theirs);
    for (const watcher of watchers) {
      await eventually("it was disconnected", () => watcher.socket.disconnected);
      expect(watcher.all("error")).toEqual([{ message: said }]);
    }
    // A removed account's drones go with it: either notification may end the session first.
    expect([4401, 4404]).toContain((await pilot.closed).code);
    if (end !== "deleting an account") expect(pilot.closedWith).toEqual({ code: 4401, reason: said });

    for (const { url } of [first, second]) {
      await eventually(
        "the API refuses it",
        async () => (await new ApiClient(`${url}/api/v1`).as(token).get("/auth")).status === 401,
      );
      const again = new TestWatcher(url, token);
      expect(await again.next("error")).toEqual({ message: said });
    }
    expect((await relay.pilot(`/redispad/${drone.id}?access_token=${other}`).closed).code).toBe(4401);
    expect(kept.socket.connected).toBe(true);
  },
);

test("a token of the new password is accepted everywhere, and its sockets stay open", async () => {
  const { first, second } = replicas;
  const { user: theirs } = await userWithOldTokens(first);
  await ends["a new password"]?.happens(theirs);
  // A token tells whole seconds.
  const tokens = new Tokens(TEST_JWT_SECRET, { now: () => new Date(Date.now() + 1_000) });
  const token = tokens.pair(theirs.id).access_token;
  const watcher = new TestWatcher(second.url, token);
  await watcher.next("connected");
  const pilot = await steering(await relay.newDrone(theirs.id), token);
  await first.deps.db("users").where({ id: theirs.id }).update({ vpn_key_id: randomUUID() });
  expect((await new ApiClient(`${second.url}/api/v1`).as(token).get("/auth")).status).toBe(200);
  expect([watcher.socket.connected, pilot.closedWith]).toEqual([true, undefined]);
});

test("a new password that the relay missed closes its sessions once it listens to the database again", async () => {
  const { first, second } = replicas;
  const link = await interruptibleLink(second.databaseUrl);
  const env = { ACCESS_PROFILE: "strict", DATABASE_DIRECT_URL: link.url };
  const deaf = await startTestRelay(env, { databaseUrl: second.databaseUrl, redisUrl: second.redisUrl });
  const { user: theirs, tokens } = await userWithOldTokens(first);
  const drone = await deaf.newDrone(theirs.id);
  const pilot = await deaf.pilot(`/redispad/${drone.id}?access_token=${tokens[0]}`).open();
  await eventually("the pilot hears the drone", async () => {
    await second.deps.redis.publish(`${drone.ip}:output`, "hello");
    return pilot.frames.length > 0;
  });
  link.cut();
  await ends["a new password"]?.happens(theirs);
  link.mend();
  expect(await pilot.closed).toEqual({ code: 4401, reason: "The password has changed; sign in again." });
});

test("in the contract profile a new password closes nothing, and access tokens last until they expire", async () => {
  const contract = await startTestGateway();
  const { user: theirs, tokens } = await userWithOldTokens(contract);
  const watcher = new TestWatcher(contract.url, tokens[0]);
  await watcher.next("connected");
  const reset = contract.features.account.tokens.reset(theirs.username);
  const reply = await contract.api.as(reset).post("/update-password", { password: "a new password" });
  expect(reply.status).toBe(200);
  const again = new TestWatcher(contract.url, tokens[0]);
  await again.next("connected");
  expect((await contract.api.as(tokens[0] as string).get("/auth")).status).toBe(200);
  expect(watcher.socket.connected).toBe(true);
});
