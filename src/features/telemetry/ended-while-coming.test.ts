import { createServer } from "node:http";
import { Registry } from "prom-client";
import { closeServer, listen } from "../../http/server/listen";
import { systemClock } from "../../platform/process/clock";
import { createLogger } from "../../platform/process/log";
import { atEndOfFile } from "../../testing/clean-up";
import { TestWatcher } from "../../testing/watcher";
import { eventually } from "../../testing/worlds/simulated-drone";
import { SignedIn, type SignIn, Standings } from "../accounts";
import { memoryBlocklist } from "../accounts/blocklist";
import { TelemetrySockets } from "./sockets";

const now = Math.floor(Date.now() / 1000);
const good = { id: 1, is_active: true, password_changed_at: new Date(0) };
let row: typeof good | undefined = good;
const blocklist = memoryBlocklist(systemClock);
const signedIn = new SignedIn(blocklist, new Standings(async () => (row ? [row] : [])));
// Looks at all that is open when it is told to, and not by the clock.
signedIn.stop();
let between: () => unknown = () => {};
let isAway = false;
let failed = 0;
let url: string;

beforeAll(async () => {
  const doors = {
    links: { subscribe: () => () => {} },
    userOf: (jti: string): SignIn => ({ id: 1, jti, issuedAt: now - 60 }),
    // What happens between a handshake's answer and its socket's registration, happens as soon as it was asked for.
    whyRefused: async (signIn: SignIn) => {
      if (isAway) {
        failed += 1;
        throw new Error("The database is away.");
      }
      const why = await signedIn.whyRefused(signIn);
      await between();
      between = () => {};
      return why;
    },
    signedIn,
    find: () => Promise.reject(new Error("nothing is watched here")),
  };
  const sockets = new TelemetrySockets(
    doors,
    {
      maxHz: 10,
      stopWhenUnwatched: true,
      origins: [],
      maxSockets: 10,
      maxSocketsPerUser: 10,
      maxStreams: 10,
    },
    createLogger("test", "silent"),
    new Registry(),
  );
  const server = createServer();
  sockets.attach(server);
  url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(async () => {
    await sockets.drain();
    await closeServer(server);
  });
});
beforeEach(() => {
  row = good;
  isAway = false;
  signedIn.userChanged(1);
});

const changeTo = (changed: typeof row) => () => {
  row = changed;
  signedIn.userChanged(1);
};

test.each([
  ["a log-out", () => blocklist.add("a log-out", now + 600), /logged out/],
  ["a new password", changeTo({ ...good, password_changed_at: new Date() }), /password has changed/],
  ["an account disabled", changeTo({ ...good, is_active: false }), /may not sign in/],
  ["an account removed", changeTo(undefined), /does not exist/],
])("%s between a socket's check and its registration ends it at once", async (name, happens, said) => {
  between = happens;
  const watcher = new TestWatcher(url, name);
  await eventually("it was hung up on", () => watcher.socket.disconnected && watcher.heard.length > 0, 5_000);
  expect(watcher.all("error")).toEqual([{ message: expect.stringMatching(said) }]);
});

test("a socket whose token cannot be looked up just then stays, and the next look at all that is open ends it", async () => {
  between = () => {
    row = undefined;
    isAway = true;
  };
  const watcher = new TestWatcher(url, "nobody told");
  await watcher.next("connected");
  await eventually("it was looked up again", () => failed > 0);
  expect(watcher.socket.connected).toBe(true);
  await signedIn.look();
  await eventually("it was hung up on", () => watcher.socket.disconnected, 5_000);
});
