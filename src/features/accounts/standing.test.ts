import { Standings, whyVoid } from "./standing";
import type { Standing } from "./users.store";

const row = (password_changed_at: Date): Standing => ({ id: 7, is_active: true, password_changed_at });
const bearer = (passwordAt: number | undefined, issuedAt = 0) => ({ id: 7, issuedAt, passwordAt });

test("a token is good on the password that it was issued on, and void on an earlier one as on a later", () => {
  const at = 1_700_000_000_000;
  for (const [passwordAt, isVoid] of [
    [at, false],
    [at - 1, true],
    [at + 1, true],
  ] as const)
    expect([passwordAt, whyVoid(bearer(passwordAt), row(new Date(at))) !== undefined]).toEqual([
      passwordAt,
      isVoid,
    ]);
});

test("a token on a newer password than the row that is remembered has the row read again", async () => {
  let changed = new Date(1_000);
  let reads = 0;
  const standings = new Standings(async () => {
    reads++;
    return [row(changed)];
  });
  expect(await standings.whyVoid(bearer(1_000))).toBeUndefined();
  changed = new Date(2_000);
  expect(await standings.whyVoid(bearer(2_000))).toBeUndefined();
  expect(await standings.whyVoid(bearer(1_000))).toContain("password has changed");
  expect(reads).toBe(2);
  // Not of this user's present password either.
  expect(await standings.whyVoid(bearer(3_000))).toContain("password has changed");
});
