import type { Page } from "playwright-core";
import { testLooks } from "./appearance";
import { consoleTests, shown, signIn } from "./console-world";

const at = consoleTests();

testLooks(at, [
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
]);

test("a chosen theme is kept over a reload and shown in the other tabs", async () => {
  const [page, other] = [await at.window.newTab("/billing"), await at.window.newTab("/billing")];
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
});
