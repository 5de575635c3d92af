import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { saveSubscription } from "../../../features/billing";
import { confirmRecipients } from "../../../testing/worlds/flights";
import type { TestUser } from "../../../testing/worlds/start-gateway";
import { consoleTests, mailedLink, openAs, shown } from "../console-world";

/** Without payments and without a simulation instance, as on most installations. */
const at = consoleTests();

const MARKUP = "<img src=x onerror=\"document.title='run'\">";

async function accountOf(user: TestUser): Promise<Page> {
  const page = await openAs(at.world, at.window, user, "/account");
  await shown(page, "Account");
  return page;
}
const part = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");

describe("VPN", () => {
  const CONFIG =
    "# fleet-gateway peer\n[Interface]\nPrivateKey = c2VjcmV0IG9mIGEgdGVzdCBvbmx5LCAzMiBieXRlcw==\n";

  test("the config is shown on demand, as a file and a QR code, and leaves the page with its dialog", async () => {
    const user = await at.world.gateway.newUser();
    const page = await accountOf(user);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await part(page, "VPN").getByText("Your tunnel is down.").waitFor();
    await part(page, "VPN").getByRole("button", { name: "Show the VPN config…" }).click();
    await dialog(page).getByRole("button", { name: "Show the config" }).click();
    await dialog(page).getByText("The tunnel service has not published this config yet").waitFor();
    await at.world.gateway.deps.vpnStore.write(`vpn/users/${user.id}.conf`, CONFIG, "text/plain");
    await dialog(page).getByRole("button", { name: "Show the config" }).click();
    await dialog(page).getByRole("img", { name: "QR code" }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      dialog(page).getByRole("link", { name: "Download the file" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("fleet.conf");
    expect(readFileSync(await download.path(), "utf8")).toBe(CONFIG);
    const kept = () => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(await kept()).not.toContain("PrivateKey");
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    expect(await page.content()).not.toContain("PrivateKey");
    expect(asked.filter((path) => path.endsWith("/user/vpn/config"))).toHaveLength(2);
  });

  test("a user without an address is told so in the API's words", async () => {
    const user = await at.world.gateway.newUser();
    await at.world.gateway.deps.db("users").where({ id: user.id }).update({ ip: null });
    const page = await accountOf(user);
    await part(page, "VPN").getByText("You have no VPN address.").waitFor();
  });
});

test("recipients of reports are added, confirmed and removed", async () => {
  const user = await at.world.gateway.newUser();
  const page = await accountOf(user);
  const reports = part(page, "Flight reports");
  const rows = async () =>
    (await reports.getByRole("listitem").allInnerTexts()).map((one) => one.replace(/\s+/g, " "));
  await reports.getByText("Your own").waitFor();
  const add = async (email: string) => {
    await reports.getByLabel("Another address").fill(email);
    await reports.getByRole("button", { name: "Add the address" }).click();
  };
  await add("boss@example.com");
  await reports.getByText("boss@example.com").waitFor();
  expect((await rows())[1]).toMatch(/^boss@example.com Not confirmed yet/);
  // Another tab adds one meanwhile: it stays.
  await confirmRecipients(at.world.gateway, user, ["boss@example.com", "other@example.com"]);
  await add("third@example.com");
  await reports.getByText("third@example.com").waitFor();
  expect((await rows()).map((one) => one.slice(0, 27))).toEqual([
    expect.stringContaining(user.username.slice(0, 27)),
    expect.stringMatching(/^boss@example.com Confirmed/),
    expect.stringMatching(/^other@example.com Confirmed/),
    expect.stringMatching(/^third@example.com Not conf/),
  ]);
  await reports.getByRole("button", { name: "Remove boss@example.com" }).click();
  await reports.getByText("boss@example.com").waitFor({ state: "detached" });
  const { body } = await user.api.get("/user/report-emails");
  expect(body.extra_emails).toBe("other@example.com,third@example.com");
});

test("the link for a new password is mailed", async () => {
  const user = await at.world.gateway.newUser();
  const page = await accountOf(user);
  await part(page, "Password").getByRole("button", { name: "Send the link" }).click();
  await part(page, "Password").getByText("A mail with a link is on its way.").waitFor();
  expect(new URL(mailedLink(at.world.gateway, user.username)).pathname).toBe("/reset-password");
});

test("without payments and without a simulation, the page says who gives what", async () => {
  const user = await at.world.gateway.newUser();
  const page = await accountOf(user);
  const subscription = part(page, "Subscription");
  await subscription.getByText("You have no subscription. One simulated drone is free.").waitFor();
  await subscription.getByText("The operator of this service gives subscriptions.").waitFor();
  expect(await subscription.getByRole("button").count()).toBe(0);
  await part(page, "Simulation").getByText("There is no simulation instance").waitFor();
  await part(page, "Payments").getByText("There are no payments yet.").waitFor();
  await saveSubscription(at.world.gateway.deps.db, user.id, { status: "active", vehicle_count: 3 });
  await page.reload();
  await subscription.getByText("3 physical, 4 simulated").waitFor();
  await subscription.getByText("The operator of this service gave it to you").waitFor();
  expect(await subscription.getByRole("button").count()).toBe(0);
  // Too narrow for the names of all pages.
  await page.setViewportSize({ width: 300, height: 640 });
  await page.reload();
  await shown(page, "Account");
  const here = await page.getByRole("link", { name: "Account", exact: true }).boundingBox();
  expect((here?.x ?? 0) + (here?.width ?? 0)).toBeLessThan(320);
});

test("quotas show their use, with the drone's name as text, and mark what is nearly used up", async () => {
  const user = await at.world.gateway.newUser();
  await user.api.post("/drone", { type: "sitl", name: MARKUP, vehicle_type: "copter" });
  const { quotas: counted } = at.world.gateway.deps;
  await Promise.all(Array.from({ length: 170 }, () => counted.take("mails", user.id)));
  const page = await accountOf(user);
  const quotas = part(page, "Quotas");
  await quotas.getByRole("row", { name: /bytes of uploaded assets and archives\s*0 B\s*50 GB/ }).waitFor();
  expect(await quotas.locator("summary").textContent()).toBe(`Drone ${MARKUP}`);
  expect(await quotas.locator("tr.near").allInnerTexts()).toEqual([
    expect.stringMatching(/^Reports and confirmations sent for a user\s+170\s+200 a day$/),
  ]);
  expect(await page.locator("main img").count()).toBe(0);
});

test("a part that cannot be loaded says so and hides no other", async () => {
  const user = await at.world.gateway.newUser();
  const page = await openAs(at.world, at.window, user, "/billing");
  await page.route("**/billing/payments**", (route) => route.abort("connectionrefused"));
  await page.getByRole("link", { name: "To your account" }).click();
  const payments = part(page, "Payments");
  await payments.getByText("The gateway does not answer.").waitFor();
  await part(page, "Subscription").getByText("You have no subscription.").waitFor();
  await page.unroute("**/billing/payments**");
  await payments.getByRole("button", { name: "Try again" }).click();
  await payments.getByText("There are no payments yet.").waitFor();
  // The browser itself says on its console that the connection was refused.
  at.window.faults.splice(0);
});
