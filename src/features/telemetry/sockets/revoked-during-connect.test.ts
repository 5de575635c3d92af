import { createServer } from "node:http";
import { Registry } from "prom-client";
import type { UserCaller } from "../../../http/route";
import { closeServer, listen } from "../../../http/server/listen";
import type { ChangeSubscriber } from "../../../platform/postgres/change-listener";
import { createLogger } from "../../../platform/process/log";
import { atEndOfFile } from "../../../testing/clean-up";
import { eventually } from "../../../testing/until";
import { TestWatcher } from "../../../testing/watcher";

import { TokenWatch } from "../../accounts";
import { TelemetrySockets } from "./telemetry-sockets";

const now = Math.floor(Date.now() / 1000);
const good = { is_active: true, password_changed_at: new Date(0) };
let account: typeof good | undefined = good;
const revoked = new Set<string>();
let notify: ChangeSubscriber["onChange"] = () => {};
const tokenWatch = new TokenWatch(
  async (tokens) => new Map(tokens.map(({ jti }) => [jti, { revoked: revoked.has(jti), account }])),
  {
    subscribe: ({ onChange }) => {
      notify = onChange;
    },
  },
);
// It rechecks when the test says so, and not by the clock.
tokenWatch.stop();
let between: () => unknown = () => {};
let isAway = false;
let failed = 0;
let url: string;

beforeAll(async () => {
  const deps = {
    sessions: { save: async () => {}, load: async () => undefined, drop: async () => {} },
    log: createLogger("test", "silent"),
    registry: new Registry(),
    links: { subscribe: () => () => {} },
    quotas: { checkAmount: () => {} },
    userOf: (jti: string): UserCaller => ({
      ...{ id: 1, jti, issuedAt: now - 60, expiresAt: now + 600, passwordAt: undefined },
    }),
    tokenWatch: {
      add: tokenWatch.add.bind(tokenWatch),
      // `between` happens after a handshake's check and before its socket is watched.
      rejection: async (token: UserCaller) => {
        if (isAway) {
          failed += 1;
          throw new Error("The database is away.");
        }
        const why = await tokenWatch.rejection(token);
        await between();
        between = () => {};
        return why;
      },
    },
    states: { newest: async () => [] },
    dronesOf: async () => [],
    find: () => Promise.reject(new Error("nothing is watched here")),
  };
  const config = {
    TELEMETRY_MAX_HZ: 10,
    TELEMETRY_MAX_SOCKETS: 10,
    DO_UNSUBSCRIBE: true,
    CORS_ORIGINS: [],
  };
  const sockets = new TelemetrySockets({ ...deps, config });
  const server = createServer();
  sockets.attach(server);
  url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(async () => {
    await sockets.drain();
    await closeServer(server);
  });
});
beforeEach(() => {
  account = good;
  isAway = false;
});

const logOut = () => {
  revoked.add("a log-out");
  notify({ table: "revoked_tokens", op: "insert", id: 1 });
};
const changeTo = (changed: typeof account) => () => {
  account = changed;
  notify({ table: "users", op: "update", id: 1 });
};

test.each([
  ["a log-out", logOut, /logged out/],
  ["a new password", changeTo({ ...good, password_changed_at: new Date() }), /password has changed/],
  ["an account disabled", changeTo({ ...good, is_active: false }), /may not sign in/],
  ["an account removed", changeTo(undefined), /does not exist/],
])("%s between a socket's check and its registration ends it at once", async (name, happens, said) => {
  between = happens;
  const watcher = new TestWatcher(url, name);
  await eventually(
    "it was hung up on",
    () => watcher.socket.disconnected && watcher.received.length > 0,
    5_000,
  );
  expect(watcher.all("error")).toEqual([{ message: expect.stringMatching(said) }]);
});

test("a socket whose token cannot be checked stays until the next recheck ends it", async () => {
  between = () => {
    account = undefined;
    isAway = true;
  };
  const watcher = new TestWatcher(url, "nobody told");
  await watcher.next("connected");
  await eventually("it was looked up again", () => failed > 0);
  expect(watcher.socket.connected).toBe(true);
  await tokenWatch.recheck();
  await eventually("it was hung up on", () => watcher.socket.disconnected, 5_000);
});
