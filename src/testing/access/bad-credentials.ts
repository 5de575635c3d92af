import { createHmac, generateKeyPairSync, randomUUID } from "node:crypto";
import jwt from "jsonwebtoken";
import { Tokens } from "../../features/accounts";
import { ApiClient } from "../client";
import { TEST_JWT_SECRET, type TestGateway, type TestUser } from "../worlds/start-gateway";

/** Request headers that every guarded route refuses, by what is wrong with them. */
export type BadCredentials = Readonly<Record<string, Readonly<Record<string, string>>>>;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

const AN_HOUR_MS = 3_600_000;

/**
 * Invalid credentials for an existing user. They include a logged-out token: the access profile decides whether
 * Socket.IO and the relay refuse it too.
 */
export async function badCredentials(
  gateway: TestGateway,
  user: TestUser,
  roomToken: string,
): Promise<BadCredentials> {
  const { tokens } = gateway.features.account;
  const fresh = tokens.pair(user.id);
  const [, payload = "", signature = ""] = fresh.access_token.split(".");
  const claims = jwt.decode(fresh.access_token, { json: true }) ?? {};
  const past = { now: () => new Date(Date.now() - AN_HOUR_MS) };
  const elsewhere = new Tokens("another secret, of enough length to be one", { now: () => new Date() });
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const publicPem = publicKey.export({ type: "spki", format: "pem" });
  const unsigned = (alg: string) => `${encoded({ alg, typ: "JWT" })}.${payload}.`;
  const signedWith = (secret: string | Buffer, content = payload, alg = "HS256") => {
    const head = `${encoded({ alg, typ: "JWT" })}.${content}`;
    return `${head}.${createHmac("sha256", secret).update(head).digest("base64url")}`;
  };
  const ours = (more: object) => signedWith(TEST_JWT_SECRET, encoded({ ...claims, ...more }));
  return {
    "no token": {},
    "an empty token": bearer(""),
    "no JWT": bearer("let.me.in"),
    "another scheme": { authorization: `Basic ${fresh.access_token}` },
    "a token in a cookie": { cookie: `access_token=${fresh.access_token}; token=${fresh.access_token}` },
    "an expired token": bearer(new Tokens(TEST_JWT_SECRET, past).pair(user.id).access_token),
    "a logged-out token": bearer(await loggedOut(gateway, user)),
    "a verification token": bearer(tokens.verification(user.username)),
    "a video room token": bearer(roomToken),
    "algorithm none": bearer(unsigned("none")),
    "algorithm nOnE": bearer(unsigned("nOnE")),
    "no algorithm": bearer(`${encoded({ typ: "JWT" })}.${payload}.${signature}`),
    "another key": bearer(elsewhere.pair(user.id).access_token),
    "an empty key": bearer(signedWith("")),
    "the public half of a key pair": bearer(signedWith(String(publicPem))),
    "RS256 by anyone": bearer(jwt.sign(claims, privateKey, { algorithm: "RS256" })),
    "HS512 with our key": bearer(jwt.sign(claims, TEST_JWT_SECRET, { algorithm: "HS512" })),
    "another user under a true signature": bearer(
      `${fresh.access_token.split(".")[0]}.${encoded({ ...claims, sub: user.id + 1 })}.${signature}`,
    ),
    "no expiry": bearer(ours({ exp: undefined })),
    "no id of its own": bearer(ours({ jti: undefined })),
    "no type": bearer(ours({ type: undefined })),
    "a user who is a list": bearer(ours({ sub: [user.id] })),
    "user 0": bearer(ours({ sub: 0 })),
    "a user beyond every row": bearer(ours({ sub: 99_999_999_999 })),
    "not valid yet": bearer(ours({ nbf: Math.floor(Date.now() / 1000) + 600 })),
  };
}

/** A valid token of each kind, for routes that accept another kind. */
export function validTokens(gateway: TestGateway, user: TestUser) {
  const { tokens } = gateway.features.account;
  const pair = tokens.pair(user.id);
  return {
    access: bearer(pair.access_token),
    refresh: bearer(pair.refresh_token),
    reset: bearer(tokens.reset(user.username)),
    reset_of_nobody: bearer(tokens.reset(`${randomUUID()}@example.com`)),
  };
}

async function loggedOut(gateway: TestGateway, user: TestUser): Promise<string> {
  const token = gateway.features.account.tokens.pair(user.id).access_token;
  const { status } = await new ApiClient(`${gateway.url}/api/v1`, token).delete("/logout");
  if (status !== 200) throw new Error(`Nobody was logged out: ${status}.`);
  return token;
}
