import { randomUUID } from "node:crypto";
import { createUser, hashPassword } from "../../../features/accounts";
import { consoleTests, consoleWorld, mailedLink, shown, signIn } from "../console-world";

const at = consoleTests();

const SENT = "A mail with a link is on its way.";

test("a person registers, chooses a first password by the mailed link, and signs in with it", async () => {
  const username = `new-${randomUUID()}@example.com`;
  const page = await at.window.newTab("/");
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("Email").fill(username);
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByRole("status").filter({ hasText: SENT }).waitFor();

  const link = new URL(mailedLink(at.world.gateway, username));
  expect([link.origin, link.pathname, link.searchParams.get("verify")]).toEqual([
    at.world.gateway.url,
    "/reset-password",
    "true",
  ]);
  await page.goto(link.href);
  await shown(page, "Choose a password");
  await page.getByLabel("New password", { exact: true }).fill("short");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("alert").filter({ hasText: "must have at least 8 characters" }).waitFor();
  await page.getByLabel("New password", { exact: true }).fill("a first password");
  await page.getByRole("button", { name: "Set the password" }).click();

  await page.getByRole("status").filter({ hasText: "Registered. Sign in with the new password." }).waitFor();
  expect(await page.getByLabel("Email").inputValue()).toBe(username);
  await signIn(page, { username, password: "a first password" });
  await shown(page, "Fleet");
  // The token of the link is in no address that the tab goes back to.
  await page.goBack();
  expect(page.url()).not.toContain("token");
});

test("a gateway without registration says so in the API's words", async () => {
  const closed = await consoleWorld({ ENABLE_REGISTRATION: "false" });
  const own = await closed.browser.newWindow();
  const page = await own.newTab("/register");
  await page.getByLabel("Email").fill("new@example.com");
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByRole("alert").filter({ hasText: "Registration is disabled here." }).waitFor();
  expect(own.faults).toEqual([]);
});

test("a forgotten password is set anew by the mailed link, and the old one is refused", async () => {
  const { username, password } = await at.world.gateway.newUser();
  const page = await at.window.newTab("/sign-in");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await shown(page, "Forgotten password");
  await page.getByLabel("Email").fill(username);
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByRole("status").filter({ hasText: SENT }).waitFor();

  const link = mailedLink(at.world.gateway, username);
  await page.goto(link);
  await shown(page, "Set a new password");
  await page.getByLabel("New password", { exact: true }).fill("another password");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("status").filter({ hasText: "The password was updated." }).waitFor();
  await signIn(page, { username, password });
  await page.getByRole("alert").filter({ hasText: "The username or the password is wrong." }).waitFor();
  await signIn(page, { username, password: "another password" });
  await shown(page, "Fleet");

  const again = await at.window.newTab(link);
  await again.getByLabel("New password", { exact: true }).fill("a third password");
  await again.getByRole("button", { name: "Set the password" }).click();
  await again.getByRole("alert").filter({ hasText: "This link was used already" }).waitFor();
});

test("an unknown address is refused in the API's words", async () => {
  const page = await at.window.newTab("/forgot-password");
  await page.getByLabel("Email").fill("nobody@example.com");
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByRole("alert").filter({ hasText: "No user has this email." }).waitFor();
});

test("a link without its token says that it is incomplete", async () => {
  const page = await at.window.newTab("/reset-password");
  await page.getByText("This link is incomplete.").waitFor();
  expect(await page.getByRole("button", { name: "Set the password" }).count()).toBe(0);
});

test("an account is activated by a press of the button, not by the link alone, and is signed in then", async () => {
  const username = `made-${randomUUID()}@example.com`;
  const password_hash = await hashPassword("whatever else");
  const level = "CUSTOMER";
  const { db } = at.world.gateway.deps;
  const { id, activation_token } = await createUser(db, { username, password_hash, level, active: false });
  const page = await at.window.newTab(`/activate/${id}/${activation_token}`);
  await shown(page, "Activate your account");
  expect(await db("users").where({ id }).first("is_active")).toEqual({ is_active: false });
  await page.getByRole("button", { name: "Activate" }).click();
  await shown(page, "Fleet");
  expect(await page.getByText(username).isVisible()).toBe(true);
});

test.each(["1/wrong", "x/wrong", "99999999999/wrong", "1/%2e%2e%2flogin"])(
  "the activation link %s is refused in the API's words",
  async (link) => {
    const page = await at.window.newTab(`/activate/${link}`);
    await page.getByRole("button", { name: "Activate" }).click();
    await page.getByRole("alert").filter({ hasText: /\w{4}/ }).waitFor();
    await shown(page, "Activate your account");
  },
);
