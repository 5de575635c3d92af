import { Tokens } from "../features/accounts";
import type { UserCaller } from "../http/route";
import { loadConfig, relayConfig } from "../platform/config";
import { systemClock } from "../platform/process/clock";
import type { Redis } from "../platform/redis/client";
import { until } from "../testing/until";
import { TEST_JWT_SECRET } from "../testing/worlds/start-gateway";
import { startTestRelay, type TestDrone, type TestRelay } from "../testing/worlds/start-relay";
import { startRelay } from ".";
import { authorize } from "./authorization";
import type { CloseError } from "./close-error";

let relay: TestRelay;
let redis: Redis;
let drone: TestDrone;
const tokens = new Tokens(TEST_JWT_SECRET, systemClock);
const accessOf = (userId: number) => tokens.pair(userId).access_token;

beforeAll(async () => {
  relay = await startTestRelay({ ACCESS_PROFILE: "strict" });
  redis = await relay.redis();
  drone = await relay.newDrone();
});

const closeOf = async (token: string | undefined, route = "redispad") =>
  (await relay.pilot(`/${route}/${drone.id}${token === undefined ? "" : `?access_token=${token}`}`).closed)
    .code;

test("the owner, with a valid access token, steers", async () => {
  const pilot = await relay.pilot(`/redispad/${drone.id}?access_token=${accessOf(drone.user_id)}`).open();
  await until(async () => {
    await redis.publish(`${drone.ip}:output`, "hello");
    return pilot.frames.includes("hello");
  });
  pilot.socket.terminate();
});

test.each(["redispad", "gamepad"])(
  "on /%s a caller without a valid access token is closed with 4401",
  async (route) => {
    const { refresh_token } = tokens.pair(drone.user_id);
    const expired = new Tokens(TEST_JWT_SECRET, { now: () => new Date(Date.now() - 3_600_000) });
    const forged = new Tokens("another secret, of enough length too", systemClock);
    for (const token of [
      undefined,
      "",
      "nonsense",
      refresh_token,
      tokens.reset("pilot@example.com"),
      expired.pair(drone.user_id).access_token,
      forged.pair(drone.user_id).access_token,
    ]) {
      expect(await closeOf(token, route)).toBe(4401);
    }
  },
);

test.each(["redispad", "gamepad"])("on /%s another user is closed with 4403", async (route) => {
  expect(await closeOf(accessOf(await relay.newUser()), route)).toBe(4403);
});

test("a token that was logged out is refused before it expires", async () => {
  const token = accessOf(drone.user_id);
  const { jti } = tokens.userOf(token)!;
  await relay.db("revoked_tokens").insert({ jti, expires_at: new Date(Date.now() + 600_000) });
  expect(await closeOf(token)).toBe(4401);
});

test("a log-out during the check of the token ends the session, whatever the check finds", async () => {
  const closeErrors: CloseError[] = [];
  let end: (why: string) => void = () => {};
  const tokenWatch = {
    add: (_token: UserCaller, ends: typeof end) => {
      end = ends;
      return () => {};
    },
    rejection: async () => {
      // The answer was on its way already.
      end("logged out");
      return undefined;
    },
  };
  const pilot = { onEnd: () => {}, closeWith: (error: CloseError) => closeErrors.push(error) };
  await authorize(relay.db, { tokens, tokenWatch }, drone.id, accessOf(drone.user_id), pilot);
  expect(closeErrors).toEqual([expect.objectContaining({ code: 4401 })]);
});

test("a session continues after its token expires", async () => {
  const almostOver = new Tokens(TEST_JWT_SECRET, { now: () => new Date(Date.now() - 592_000) });
  const token = almostOver.pair(drone.user_id).access_token;
  const pilot = await relay.pilot(`/redispad/${drone.id}?access_token=${token}`).open();
  const hears = () =>
    until(async () => {
      await redis.publish(`${drone.ip}:output`, "hello");
      return pilot.frames.includes("hello");
    });
  await hears();
  await until(() => tokens.userOf(token) === undefined);
  pilot.frames.length = 0;
  await hears();
  pilot.socket.terminate();
});

test("GET /drone/{id} answers only the owner", async () => {
  const ask = async (token?: string) => {
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
    const response = await fetch(`${relay.url}/drone/${drone.id}`, { headers });
    return [response.status, await response.json()];
  };
  expect(await ask(accessOf(drone.user_id))).toEqual([
    200,
    { drone_id: drone.id, user_id: drone.user_id, ip: drone.ip },
  ]);
  expect(await ask(accessOf(await relay.newUser()))).toEqual([404, { error: "Drone not found" }]);
  expect(await ask()).toEqual([401, { error: "A valid access token is required." }]);
});

test("the strict profile does not start without the secret that signs tokens", () => {
  const env = { DATABASE_URL: "postgres://h/d", REDIS_URL: "redis://h", ACCESS_PROFILE: "strict" };
  expect(() => loadConfig(relayConfig, env)).toThrow("JWT_SECRET: is required");
});

test("the contract profile listens on loopback only, unless the deployment is local", async () => {
  const env = { DATABASE_URL: "postgres://h/d", REDIS_URL: "redis://h", HOST: "0.0.0.0", RELAY_PORT: "0" };
  await expect(startRelay(loadConfig(relayConfig, env))).rejects.toThrow("may not listen on 0.0.0.0");
});
