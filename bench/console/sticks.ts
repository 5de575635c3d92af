import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import type { Browser, Page } from "playwright-core";
import { FleetClient, reply } from "../../src/client/client";
import { freePort } from "../../src/laptop/free-port";
import { type Ready, readReady, readyFile } from "../../src/laptop/ready";
import type { CleanupStack } from "../../src/testing/repository/cleanup-stack";
import { inPage } from "./browser";

const PRESSES = 100;
/** Milliseconds between two frames of both pages. */
const EVERY_MS = 50;
const START_MS = 120_000;
const ARRIVAL_MS = 5_000;

interface Frame {
  readonly axes: { readonly throttle: number };
}
/** Of the page: milliseconds of the day of its last key. */
declare const keyAt: number;
declare const bareSticks: (address: string, everyMs: number) => Promise<void>;

/** From the press of a key to the first frame in Redis that has it, milliseconds each: the Fly page, and a timer with a socket. */
export async function stickAges(browser: Browser, stops: CleanupStack) {
  const stack = await startStack(stops);
  const redis = new Redis(stack.redis);
  stops.add(async () => redis.disconnect());
  await redis.subscribe(`${stack.drone.ip}:gamepad_input`);
  const ours = await agesOf(await flyPage(browser, stack), redis);
  const baseline = await agesOf(await barePage(browser, stack), redis);
  return { ours, baseline };
}

/** The laptop's stack with a simulated copter, in a folder of its own. */
async function startStack(stops: CleanupStack) {
  const folder = mkdtempSync(join(tmpdir(), "fleet-bench-stack-"));
  stops.add(() => rmSync(folder, { recursive: true, force: true }));
  const names = ["GATEWAY", "RELAY", "TUNNEL", "JUMPHOST", "SIMULATOR", "SIMULATOR_ONBOARD"];
  const ports = await Promise.all(names.map(async (name) => [`${name}_PORT`, String(await freePort())]));
  const child = spawn(process.execPath, [join(__dirname, "../../cmd/fleet.js"), "--state", folder], {
    env: { ...process.env, ...Object.fromEntries(ports), SIMULATOR_COPTERS: "1" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(child, "exit");
  stops.add(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const until = Date.now() + START_MS;
  while (!existsSync(readyFile(folder))) {
    if (child.exitCode !== null || Date.now() > until) throw new Error("The stack does not start.");
    await pause(100);
  }
  return readStack(readReady(folder));
}

type Stack = Awaited<ReturnType<typeof readStack>>;

async function readStack({ gateway, relay, redis, user, drone_id }: Ready) {
  if (!gateway || !relay || !redis || !user) throw new Error("The stack lacks a part.");
  const client = new FleetClient(gateway);
  await client.logIn(user.username, user.password);
  const drone = (await reply(client.api.GET("/drones"))).find(({ id }) => id === drone_id);
  if (!drone) throw new Error("The stack has no drone.");
  return { gateway, relay, redis, user, drone, token: client.accessToken ?? "" };
}

async function flyPage(browser: Browser, { gateway, user, drone }: Stack): Promise<Page> {
  const page = await browser.newPage();
  await page.addInitScript({ content: `${inPage}\nwatchKeys();` });
  await page.goto(`${gateway}/fly/${drone.id}`);
  await page.getByLabel("Email").fill(user.username);
  await page.getByLabel("Password", { exact: true }).fill(user.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("live", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Sticks", exact: true }).click();
  await page.getByRole("button", { name: "Turn on", exact: true }).click();
  await page.locator(".sticks-state").filter({ hasText: "On." }).waitFor();
  return page;
}

async function barePage(browser: Browser, { gateway, relay, drone, token }: Stack): Promise<Page> {
  const page = await browser.newPage();
  await page.addInitScript({ content: `${inPage}\nwatchKeys();` });
  // Of the origin that the relay expects; it does nothing by itself.
  await page.goto(`${gateway}/sign-in`);
  const address = `${relay.replace("http", "ws")}/redispad/${drone.id}?access_token=${token}`;
  await page.evaluate(([address, everyMs]) => bareSticks(address, everyMs), [address, EVERY_MS] as const);
  return page;
}

/** At all phases of the page's timer. */
async function agesOf(page: Page, redis: Redis): Promise<number[]> {
  const ages: number[] = [];
  for (let at = 0; at < PRESSES; at++) {
    await pause(EVERY_MS + (at % EVERY_MS));
    const seen = arrival(redis, (throttle) => throttle > 0);
    await page.keyboard.down("KeyW");
    const arrived = await seen;
    ages.push(arrived - (await page.evaluate(() => keyAt)));
    const released = arrival(redis, (throttle) => throttle === 0);
    await page.keyboard.up("KeyW");
    await released;
  }
  await page.close();
  return ages;
}

/** When the first frame comes whose throttle is so. */
function arrival(redis: Redis, isIt: (throttle: number) => boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("No frame came with the key.")), ARRIVAL_MS);
    const hear = (_channel: string, text: string) => {
      const at = performance.timeOrigin + performance.now();
      if (!isIt((JSON.parse(text) as Frame).axes.throttle)) return;
      clearTimeout(late);
      redis.off("message", hear);
      resolve(at);
    };
    redis.on("message", hear);
  });
}
