import { type Db, openDatabase } from "../../platform/postgres/db";
import { atEndOfFile, freshDatabase } from "../../testing";
import { readTokenStatuses, revokeToken } from "./revoked-tokens.store";
import { insertUser } from "./users.store";

let db: Db;
let userId: number;
beforeAll(async () => {
  db = openDatabase((await freshDatabase()).url, { poolMax: 1 });
  atEndOfFile(() => db.destroy());
  const user = { username: "pilot@example.com", password_hash: null, level: null, is_active: true };
  userId = (await insertUser(db, { ...user, activation_token: null, ip: null })).id;
});

const seconds = (time: Date) => Math.floor(time.getTime() / 1000);
const kept = async () => (await db("revoked_tokens").select("jti")).map(({ jti }) => jti);

test("a token is revoked once, and its row is deleted ten minutes after it has expired", async () => {
  const now = new Date();
  const token = { jti: "logged out", expiresAt: seconds(now) + 60, userId };
  expect(await revokeToken(db, token, now)).toBe(true);
  expect(await revokeToken(db, token, now)).toBe(false);
  const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
  await revokeToken(db, { jti: "next", expiresAt: seconds(later(20)), userId }, later(10));
  expect(await kept()).toEqual(["logged out", "next"]);
  await revokeToken(db, { jti: "last", expiresAt: seconds(later(20)), userId }, later(12));
  expect(await kept()).toEqual(["next", "last"]);
});

test("one prepared statement reads whether each token is revoked, and its user's row", async () => {
  const now = new Date();
  await revokeToken(db, { jti: "revoked", expiresAt: seconds(now) + 60, userId }, now);
  const account = { is_active: true, password_changed_at: expect.any(Date) };
  const statuses = await readTokenStatuses(db, [
    { jti: "good", userId },
    { jti: "revoked", userId },
    { jti: "of nobody", userId: userId + 1 },
    { jti: "for setting a password", userId: undefined },
  ]);
  expect(Object.fromEntries(statuses)).toEqual({
    good: { revoked: false, account },
    revoked: { revoked: true, account },
    "of nobody": { revoked: false, account: undefined },
    "for setting a password": { revoked: false, account: undefined },
  });
  const { rows } = await db.raw("SELECT name FROM pg_prepared_statements");
  expect(rows).toEqual([{ name: "read-token-statuses" }]);
});
