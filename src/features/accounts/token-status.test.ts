import { tokenRejection } from "./token-status";

const at = 1_700_000_000_000;
const account = { is_active: true, password_changed_at: new Date(at) };
const token = (passwordAt: number | undefined, issuedAt = 0) => ({
  ...{ id: 7, jti: "a token", issuedAt, expiresAt: issuedAt + 600, passwordAt },
});

test.each([
  ["on the user's password", token(at), undefined],
  ["on an earlier password", token(at - 1), /password has changed/],
  ["on a later password", token(at + 1), /password has changed/],
  ["before the password, without naming one", token(undefined, at / 1000 - 1), /password has changed/],
  ["after the password, without naming one", token(undefined, at / 1000), undefined],
])("a token issued %s is judged by the user's row", (_when, issued, rejection) => {
  const found = tokenRejection(issued, { revoked: false, account });
  if (rejection) expect(found).toMatch(rejection);
  else expect(found).toBeUndefined();
});

test("a logged-out token is refused, and so is every token of a disabled or deleted user", () => {
  expect(tokenRejection(token(at), { revoked: true, account })).toContain("logged out");
  const disabled = { ...account, is_active: false };
  expect(tokenRejection(token(at), { revoked: false, account: disabled })).toContain("may not sign in");
  expect(tokenRejection(token(at), { revoked: false, account: undefined })).toContain("does not exist");
});
