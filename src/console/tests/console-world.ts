import type { Page } from "playwright-core";
import { freePort } from "../../laptop/free-port";
import { freshDatabase } from "../../testing/fresh-database";
import { freshRedis } from "../../testing/fresh-servers";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";
import { startTestRelay, type TestRelay } from "../../testing/worlds/start-relay";
import { startBrowser, type TestBrowser, type TestWindow } from "./browser";

export interface ConsoleWorld {
  readonly gateway: TestGateway;
  readonly browser: TestBrowser;
  /** Stops the gateway, and starts one in its place: at the same port, with the same database and Redis. */
  restartGateway(): Promise<void>;
}

/** What a gateway is configured with to serve the console at a free port. */
export async function consoleSettings(host = "127.0.0.1") {
  const port = await freePort();
  const origin = `http://${host}:${port}`;
  return { CONSOLE: "on", GATEWAY_PORT: String(port), PUBLIC_ORIGIN: origin };
}

/** A gateway that serves the console, whose mails link to it, and a browser. */
export async function consoleWorld(env: Record<string, string> = {}): Promise<ConsoleWorld> {
  const asGateway = {
    ...(await consoleSettings()),
    // Vehicles that fly ten times as fast as life would have the page drawn ten times as often.
    TELEMETRY_MAX_HZ: "10",
    ...env,
  };
  const origin = asGateway.PUBLIC_ORIGIN;
  const [gateway, browser] = await Promise.all([startTestGateway(asGateway), startBrowser(origin)]);
  // Pictures and videos are of the object store's origin.
  browser.admit(gateway.deps.store.userOrigin);
  const world = {
    gateway,
    browser,
    async restartGateway() {
      const { databaseUrl, redisUrl } = gateway;
      await world.gateway.lifecycle.stop("the test starts another");
      world.gateway = await startTestGateway({
        ...asGateway,
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
      });
    },
  };
  return world;
}

export interface RelayedWorld extends ConsoleWorld {
  readonly relay: TestRelay;
}

/**
 * With a relay, to which the console connects. The page comes by plain HTTP from a host that is not the browser's own, as
 * in a local network: browsers keep some of what they can do from such a page.
 */
export async function relayedWorld(): Promise<RelayedWorld> {
  const [database, redis] = await Promise.all([freshDatabase(), freshRedis()]);
  const relay = await startTestRelay({}, { databaseUrl: database.url, redisUrl: redis.url });
  const world = await consoleWorld({
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    ...(await consoleSettings("fleet.test")),
    RELAY_PUBLIC_ORIGIN: relay.url.replace("http", "ws"),
  });
  return Object.assign(world, { relay });
}

/**
 * For the tests of one file: one gateway and browser, and for each test a window of its own, whose pages must not have
 * broken a rule.
 */
export function consoleTests(): { readonly world: ConsoleWorld; readonly window: TestWindow };
export function consoleTests<World extends ConsoleWorld>(
  start: () => Promise<World>,
): { readonly world: World; readonly window: TestWindow };
export function consoleTests(start: () => Promise<ConsoleWorld> = consoleWorld) {
  const at = {} as { world: ConsoleWorld; window: TestWindow };
  beforeAll(async () => {
    at.world = await start();
  });
  beforeEach(async () => {
    at.window = await at.world.browser.newWindow();
  });
  afterEach(async () => {
    expect(at.window.faults).toEqual([]);
    await at.window.context.close();
  });
  return at;
}

/** Fills in the form of the page that is shown, and waits for nothing. */
export async function signIn(page: Page, { username, password }: Pick<TestUser, "username" | "password">) {
  await page.getByLabel("Email").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** A tab of this window in which the user is signed in, as after a reload of it. */
export async function openAs(
  { gateway }: Pick<ConsoleWorld, "gateway">,
  window: Pick<TestWindow, "context" | "newTab">,
  user: TestUser,
  path: string,
): Promise<Page> {
  const { refresh_token } = gateway.features.account.tokens.pair(user.id);
  await window.context.addInitScript((token) => {
    // The empty page before the first one has no storage; a later load of the page finds what it kept itself.
    if (location.origin !== "null" && sessionStorage.length === 0)
      sessionStorage.setItem("refresh_token", token);
  }, refresh_token);
  return window.newTab(path);
}

/** Waits until the page with this heading is shown. */
export const shown = (page: Page, heading: string) =>
  page.getByRole("heading", { level: 1, name: heading }).waitFor();

/** The link of the newest mail to this address. Waits for the mail. */
export function mailedLink({ mail }: TestGateway, to: string): string {
  const link = mail.mails.findLast((one) => one.to.includes(to))?.links[0];
  if (!link) throw new Error(`No mail to ${to} has a link.`);
  return link;
}
