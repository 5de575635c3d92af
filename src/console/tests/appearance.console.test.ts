import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { packageRoot } from "../../platform/process/version";
import type { TestUser } from "../../testing/worlds/start-gateway";
import { type ConsoleWorld, consoleWorld, shown, signIn } from "./console-world";

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** Where the pictures are put for people to look at. */
const pictures = join(packageRoot, "node_modules/.cache/console-pages");

let world: ConsoleWorld;
let user: TestUser;
beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  world = await consoleWorld();
  user = await world.gateway.newUser();
  await user.api.post("/drone", { type: "sitl", name: "Falcon", vehicle_type: "copter" });
});

type Show = (page: Page) => Promise<unknown>;

/** Every page, and the states of a page that look unlike it: name, path, and what is done there. */
const pages: readonly [name: string, path: string, show: Show][] = [
  ["sign-in", "/sign-in", (page) => shown(page, "Sign in")],
  [
    "sign-in-refused",
    "/sign-in",
    async (page) => {
      await signIn(page, { username: "pilot@example.com", password: "wrong" });
      await page.getByText("The username or the password is wrong.").waitFor();
    },
  ],
  ["register", "/register", (page) => shown(page, "Create an account")],
  ["forgot-password", "/forgot-password", (page) => shown(page, "Forgotten password")],
  ["reset-password", "/reset-password?token=x", (page) => shown(page, "Set a new password")],
  ["reset-password-first", "/reset-password?token=x&verify=true", (page) => shown(page, "Choose a password")],
  ["reset-password-incomplete", "/reset-password", (page) => shown(page, "Set a new password")],
  ["activate", "/activate/1/token", (page) => shown(page, "Activate your account")],
  ["billing", "/billing", (page) => shown(page, "Your payment")],
  ["not-found", "/none", (page) => shown(page, "Page not found")],
  [
    "fleet",
    "/",
    async (page) => {
      await signIn(page, user);
      await page.getByText("Falcon").waitFor();
    },
  ],
];

const looks = [
  ["light", { colorScheme: "light", viewport: { width: 1280, height: 800 } }],
  ["dark", { colorScheme: "dark", viewport: { width: 1280, height: 800 } }],
  ["narrow", { colorScheme: "light", viewport: { width: 360, height: 740 } }],
] as const;

/** The rules of axe that the page breaks, each with what breaks it. */
async function violations(page: Page): Promise<string[]> {
  // Evaluated, not added as an element: the page's policy admits no script of others.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
    const results = await axe.run(document, { resultTypes: ["violations"] });
    return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  });
}

describe.each(looks)("%s", (look, options) => {
  test.each(pages)("%s breaks no rule of axe and needs no scrolling sideways", async (name, path, show) => {
    const window = await world.browser.newWindow({ ...options, reducedMotion: "reduce" });
    const page = await window.newTab(path);
    await show(page);
    await page.screenshot({ path: join(pictures, `${name}-${look}.png`) });
    expect(await violations(page)).toEqual([]);
    const beyond = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth - clientWidth;
    });
    expect(beyond).toBe(0);
    expect(window.faults).toEqual([]);
    await window.context.close();
  });
});

test("a chosen theme is kept over a reload and shown in the other tabs", async () => {
  const window = await world.browser.newWindow({ colorScheme: "light" });
  const [page, other] = [await window.newTab("/billing"), await window.newTab("/billing")];
  const ground = (of: Page) => of.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground(page);
  await page.getByRole("button", { name: "Dark colours" }).click();
  await other.getByRole("button", { name: "Light colours" }).waitFor();
  const dark = await ground(page);
  expect(dark).not.toBe(light);
  expect(await ground(other)).toBe(dark);
  await page.reload();
  await page.getByRole("button", { name: "Light colours" }).waitFor();
  expect(await ground(page)).toBe(dark);
  await window.context.close();
});
