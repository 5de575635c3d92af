import jwt from "jsonwebtoken";
import { freshDatabase } from "../../testing";
import { until } from "../../testing/until";
import { interruptibleLink } from "../../testing/worlds/interruptible-link";
import { startTestGateway, TEST_JWT_SECRET, type TestGateway } from "../../testing/worlds/start-gateway";
import { hashPassword } from "./passwords";
import { Tokens } from "./tokens";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    ...{ LOGIN_FAILURES_PER_15_MINUTES: "3", QUOTA_REQUESTED_MAILS: "2", TRUSTED_PROXIES: "loopback" },
  });
});

const claimsOf = (token: string) => jwt.decode(token) as jwt.JwtPayload;
const login = (username: string, password: string) => gateway.api.post("/login", { username, password });

/** The token of a new reset link, as the user's mail holds it. */
async function mailedResetToken(username: string): Promise<string> {
  await gateway.api.post("/reset-password", { email: username });
  const mail = gateway.mail.mails.findLast(({ to }) => to.includes(username));
  return new URL(mail?.links[0] ?? "").searchParams.get("token") as string;
}

test("sixteen registrations at once get sixteen addresses, in order and none twice", async () => {
  const { tokens } = gateway.features.account;
  const replies = await Promise.all(
    Array.from({ length: 16 }, (_, n) =>
      gateway.api.post(`/register/${tokens.verification(`crew-${n}@example.com`)}`, {
        password: "long enough",
      }),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array(16).fill(200));
  expect(new Set(replies.map(({ body }) => body.data.ip)).size).toBe(16);
});

test("the same registration twice at once makes one user", async () => {
  const token = gateway.features.account.tokens.verification("twin@example.com");
  const replies = await Promise.all(
    [1, 2].map(() => gateway.api.post(`/register/${token}`, { password: "long enough" })),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test("an address rests for a day after its user is gone, and is given out again afterwards", async () => {
  const gone = await gateway.newUser();
  const { db } = gateway.deps;
  await db("users").where({ id: gone.id }).delete();
  expect((await gateway.newUser()).ip).not.toBe(gone.ip);
  await db("vpn_addresses")
    .where({ ip: gone.ip })
    .update({ released_at: db.raw("now() - interval '25 hours'") });
  expect((await gateway.newUser()).ip).toBe(gone.ip);
});

test("tokens live as long as promised and carry nothing else", () => {
  const pair = gateway.features.account.tokens.pair(7, { level: "ADMIN" });
  const access = claimsOf(pair.access_token);
  const refresh = claimsOf(pair.refresh_token);
  expect(access).toMatchObject({ sub: 7, type: "access", level: "ADMIN" });
  expect(Number(access.exp) - Number(access.iat)).toBe(10 * 60);
  expect(Number(refresh.exp) - Number(refresh.iat)).toBe(12 * 60 * 60);
  expect(access.jti).not.toBe(refresh.jti);
});

test("an expired token, another algorithm, no algorithm and another secret are refused", async () => {
  const { id } = await gateway.newUser();
  const past = new Tokens(TEST_JWT_SECRET, { now: () => new Date(Date.now() - 11 * 60_000) });
  const body = { sub: id, type: "access", jti: "x" };
  const forged = [
    past.pair(id).access_token,
    jwt.sign(body, TEST_JWT_SECRET, { algorithm: "HS512", expiresIn: 600 }),
    jwt.sign(body, "", { algorithm: "none", expiresIn: 600 }),
    jwt.sign(body, "another secret that is long enough", { expiresIn: 600 }),
  ];
  for (const token of forged) expect((await gateway.api.as(token).get("/auth")).status).toBe(401);
});

test("a verification token older than an hour does not register a user", async () => {
  const old = new Tokens(TEST_JWT_SECRET, { now: () => new Date(Date.now() - 61 * 60_000) });
  const reply = await gateway.api.post(`/register/${old.verification("late@example.com")}`, {
    password: "long enough",
  });
  expect(reply).toMatchObject({ status: 401, body: { success: false, error: { code: 401 } } });
});

test("an access token does not register a user, and a verification token opens no route", async () => {
  const user = await gateway.newUser();
  expect((await gateway.api.post(`/register/${user.token}`, { password: "long enough" })).status).toBe(401);
  const verification = gateway.features.account.tokens.verification("someone@example.com");
  expect((await gateway.api.as(verification).get("/auth")).status).toBe(401);
});

test("the fourth failed login of an account in a row is refused with 429, even with the right password", async () => {
  const user = await gateway.newUser();
  for (let n = 0; n < 3; n++) expect((await login(user.username, "wrong one")).status).toBe(401);
  const refused = await login(user.username, user.password);
  expect(refused).toMatchObject({ status: 429, body: { error: expect.stringContaining("Too many") } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(600);
});

test("the addresses of one IPv6 network share their login attempts, and another network has its own", async () => {
  const user = await gateway.newUser();
  const from = (address: string) =>
    gateway.api
      .with({ "x-forwarded-for": address })
      .post("/login", { username: user.username, password: "wrong one" })
      .then(({ status }) => status);
  const statuses = [];
  for (const end of ["::1", "::2", ":ffff:0:0:3", "::4"]) statuses.push(await from(`2001:db8:0:7${end}`));
  expect(statuses).toEqual([401, 401, 401, 429]);
  expect(await from("2001:db8:0:8::1")).toBe(401);
});

test("a successful login resets the count of failures", async () => {
  const user = await gateway.newUser();
  for (let round = 0; round < 3; round++) {
    expect((await login(user.username, "wrong one")).status).toBe(401);
    expect((await login(user.username, user.password)).status).toBe(200);
  }
});

test("failed activations are limited too", async () => {
  const user = await gateway.newInactiveUser("CUSTOMER");
  const tries = [];
  for (let n = 0; n < 4; n++) tries.push((await gateway.api.post(`/activate/${user.id}/guess-${n}`)).status);
  expect(tries).toEqual([401, 401, 401, 429]);
});

test("one recipient gets a limited number of mails, from any caller and in any spelling", async () => {
  const statuses = [];
  for (const email of ["flood@example.com", "FLOOD@example.com", "flood@Example.com"]) {
    statuses.push((await gateway.api.post("/verify-email", { email })).status);
  }
  expect(statuses).toEqual([200, 200, 429]);
});

test("a reset link works once, also for concurrent requests, and revokes earlier tokens", async () => {
  const user = await gateway.newUser();
  const hourAgo = new Tokens(TEST_JWT_SECRET, { now: () => new Date(Date.now() - 5 * 60_000) });
  const { tokens } = gateway.features.account;
  const olderRefresh = hourAgo.pair(user.id).refresh_token;
  expect((await gateway.api.as(olderRefresh).get("/auth/refresh")).status).toBe(401);
  const link = gateway.api.as(tokens.reset(user.username));
  const replies = await Promise.all(
    [1, 2, 3].map((n) => link.post("/update-password", { password: `password ${n}` })),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  const olderLink = gateway.api.as(hourAgo.reset(user.username));
  expect((await olderLink.post("/update-password", { password: "password 4" })).status).toBe(401);
});

test("a link that was used is refused without a hash", async () => {
  const user = await gateway.newUser();
  const link = gateway.api.as(await mailedResetToken(user.username));
  expect((await link.post("/update-password", { password: "a new password" })).status).toBe(200);
  const caller = { site: "192.0.2.1", isKnown: true };
  let hashes = 0;
  const queue = Array.from({ length: 30 }, () => hashPassword("any", caller).then(() => hashes++));
  expect((await link.post("/update-password", { password: "a newer password" })).status).toBe(401);
  // A hash of the link's would have waited for these.
  expect(hashes).toBeLessThan(queue.length);
  await Promise.all(queue);
});

test("a new password revokes tokens and links that were issued in the same second", async () => {
  const user = await gateway.newUser();
  const { db } = gateway.deps;
  const first = await login(user.username, user.password);
  const [used, other] = [await mailedResetToken(user.username), await mailedResetToken(user.username)];
  const { status, body } = await gateway.api.as(first.body.refresh_token).get("/auth/refresh");
  expect(status).toBe(200);
  const set = await gateway.api.as(used).post("/update-password", { password: "a new password" });
  expect(set.status).toBe(200);
  // The clocks of the replicas that issued the pair and set the password are not compared.
  const issuedAt = new Date(Number(claimsOf(body.refresh_token).iat) * 1000 + 500);
  await db("users").where({ id: user.id }).update({ password_changed_at: issuedAt });
  expect((await gateway.api.as(body.refresh_token).get("/auth/refresh")).status).toBe(401);
  expect((await gateway.api.as(other).post("/update-password", { password: "a stolen one" })).status).toBe(
    401,
  );
  const again = await login(user.username, "a new password");
  expect((await gateway.api.as(again.body.refresh_token).get("/auth/refresh")).status).toBe(200);
});

test("a reset link is good for another try when the new password could not be stored", async () => {
  const user = await gateway.newUser();
  const link = gateway.api.as(gateway.features.account.tokens.reset(user.username));
  const { db } = gateway.deps;
  await db.raw("alter table users add constraint nothing_new check (password_hash = 'nothing') not valid");
  const failed = await link.post("/update-password", { password: "a new password" });
  await db.raw("alter table users drop constraint nothing_new");
  expect(failed.status).toBeGreaterThanOrEqual(400);
  expect((await login(user.username, user.password)).status).toBe(200);
  expect((await link.post("/update-password", { password: "a new password" })).status).toBe(200);
  expect((await login(user.username, "a new password")).status).toBe(200);
});

test("a token of our secret that lacks a claim, or has an impossible user id, is refused", async () => {
  const user = await gateway.newUser();
  const whole = { sub: user.id, type: "access", jti: "x", iat: 1, exp: 4_000_000_000 };
  const status = async (claims: object) =>
    (await gateway.api.as(jwt.sign(claims, TEST_JWT_SECRET)).get("/auth")).status;
  expect(await status(whole)).toBe(200);
  expect(await status({ ...whole, sub: String(user.id) })).toBe(200);
  for (const odd of [
    { sub: "0x1" },
    { sub: [user.id] },
    { sub: true },
    { sub: 2 ** 40 },
    { jti: 7 },
    { type: "any" },
  ]) {
    expect(await status({ ...whole, ...odd })).toBe(401);
  }
  const { exp: _, ...endless } = whole;
  expect(await status(endless)).toBe(401);
});

test("a write of a deleted user is refused with a fitting message", async () => {
  const user = await gateway.newUser();
  await gateway.deps.db("users").where({ id: user.id }).delete();
  const reply = await user.api.post("/mission", { name: "ghost" });
  expect(reply).toMatchObject({
    status: 500,
    body: { error: expect.stringContaining("does not exist any more") },
  });
});

test("a user who is not active any more cannot refresh", async () => {
  const user = await gateway.newUser();
  const { refresh_token } = gateway.features.account.tokens.pair(user.id);
  await gateway.deps.db("users").where({ id: user.id }).update({ is_active: false });
  expect((await gateway.api.as(refresh_token).get("/auth/refresh")).status).toBe(401);
  expect((await login(user.username, user.password)).status).toBe(401);
});

test("the password is kept as argon2id and a wrong-typed login changes nothing", async () => {
  const user = await gateway.newUser();
  const row = await gateway.deps.db("users").where({ id: user.id }).first("password_hash");
  expect(row.password_hash).toMatch(/^\$argon2id\$/);
  const reply = await gateway.api.post("/login", { username: ["a"], password: { b: 1 } });
  expect(reply).toMatchObject({ status: 400, body: { error: expect.stringContaining("username") } });
});

describe("with registration disabled", () => {
  let closed: TestGateway;
  beforeAll(async () => {
    closed = await startTestGateway({ ENABLE_REGISTRATION: "false" });
  });

  test("both registration routes answer 403 with a bare error, whatever the body", async () => {
    const token = closed.features.account.tokens.verification("new@example.com");
    for (const reply of [
      await closed.api.post("/verify-email", { email: "new@example.com" }),
      await closed.api.post("/verify-email", { nonsense: true }),
      await closed.api.post(`/register/${token}`, { password: "long enough" }),
    ]) {
      expect(reply.status).toBe(403);
      expect(reply.body).toEqual({ error: expect.any(String) });
    }
  });
});

const STRICT = { ACCESS_PROFILE: "strict", EDGE_SECRET: "an edge secret for tests" };

test("in the strict profile a log-out holds in another gateway on the same database, and needs no Redis", async () => {
  const one = await startTestGateway({ ...STRICT, REDIS_URL: "redis://127.0.0.1:1" });
  const two = await startTestGateway({ ...STRICT, DATABASE_URL: one.databaseUrl });
  const user = await one.newUser();
  expect((await two.api.as(user.token).get("/auth")).status).toBe(200);
  expect((await user.api.delete("/logout")).status).toBe(200);
  for (const gateway of [one, two]) expect((await gateway.api.as(user.token).get("/auth")).status).toBe(401);
});

test("in the strict profile an unavailable database does not make a token invalid", async () => {
  const networkLink = await interruptibleLink((await freshDatabase()).url);
  const cut = await startTestGateway({ ...STRICT, DATABASE_URL: networkLink.url });
  const user = await cut.newUser();
  networkLink.cut();
  const reply = await user.api.get("/auth");
  expect(reply).toMatchObject({ status: 500, body: { error: expect.stringContaining("cannot be checked") } });
  networkLink.mend();
  await until(async () => (await user.api.get("/auth")).status === 200);
});

test("an unavailable mail server gives a clear 500 without its address", async () => {
  const cut = await startTestGateway({ SMTP_URL: "smtp://127.0.0.1:1" });
  const reply = await cut.api.post("/verify-email", { email: "new@example.com" });
  expect(reply).toMatchObject({ status: 500, body: { success: false, error: { code: 500 } } });
  expect(JSON.stringify(reply.body)).not.toContain("127.0.0.1");
});

test("a login works while Redis is unavailable", async () => {
  const cut = await startTestGateway({ REDIS_URL: "redis://127.0.0.1:1" });
  const user = await cut.newUser();
  const reply = await cut.api.post("/login", { username: user.username, password: user.password });
  expect(reply.status).toBe(200);
});
