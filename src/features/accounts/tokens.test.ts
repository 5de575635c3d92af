import { Tokens } from "./tokens";

const SECRET = "a secret of enough length for a test";

test("a token that was verified before is refused once it has expired", () => {
  let seconds = 1_700_000_000;
  const tokens = new Tokens(SECRET, { now: () => new Date(seconds * 1000) });
  const { access_token } = tokens.pair(7);
  expect(tokens.verify(access_token)).toMatchObject({ sub: 7, type: "access", exp: seconds + 600 });
  seconds += 599;
  expect(tokens.verify(access_token)).toBeDefined();
  seconds += 1;
  expect(tokens.verify(access_token)).toBeUndefined();
});

test("a token is verified under its own text only", () => {
  const tokens = new Tokens(SECRET, { now: () => new Date() });
  const { access_token } = tokens.pair(7);
  const [header, payload, signature] = access_token.split(".");
  const other = tokens.pair(8).access_token.split(".");
  expect(tokens.verify(access_token)).toBeDefined();
  expect(tokens.verify([header, other[1], signature].join("."))).toBeUndefined();
  expect(tokens.verify([header, payload, other[2]].join("."))).toBeUndefined();
});
