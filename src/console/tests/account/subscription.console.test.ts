import type { Page } from "playwright-core";
import { freePort } from "../../../laptop/free-port";
import { FakePayments } from "../../../testing/fakes/fake-payments";
import {
  checkoutObject,
  freshId,
  invoiceObject,
  paymentEvent,
  subscriptionObject,
} from "../../../testing/fakes/payment-events";
import type { TestUser } from "../../../testing/worlds/start-gateway";
import { testLooks } from "../appearance";
import { type ConsoleWorld, consoleWorld, openAs, shown } from "../console-world";

const part = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");

const at = {} as { world: ConsoleWorld };
let fake: FakePayments;
beforeAll(async () => {
  fake = await FakePayments.start();
  const SIMULATOR_PORT = String(await freePort());
  at.world = await consoleWorld({
    ...{ STRIPE_SECRET_KEY: "sk_test_fake", STRIPE_API_BASE: fake.url },
    ...{ SIMULATION_PROVIDER: "process", SIMULATOR_PORT, SIMULATION_HOURLY_RATE: "0.95" },
  });
});

const tell = async (event: object) =>
  expect((await at.world.gateway.api.post("/billing/webhook", event)).status).toBe(200);
const paidBy = async (user: TestUser, quantity: number) => {
  const bought = { id: freshId("sub"), customer: freshId("cus"), userId: user.id, quantity };
  fake.addSubscription(bought.id, bought.customer, quantity);
  await tell(paymentEvent("checkout.session.completed", checkoutObject(bought), 1_795_000_000));
  await tell(paymentEvent("customer.subscription.updated", subscriptionObject(bought), 1_795_000_001));
  await tell(paymentEvent("invoice.paid", invoiceObject({ ...bought, amount: 24_000 }), 1_795_000_001));
  return bought;
};
/** A window in which the provider's pages are answered, which are of another origin. */
const open = async (user: TestUser) => {
  const window = await at.world.browser.newWindow({ locale: "en-GB", timezoneId: "Europe/Zurich" });
  const visited: string[] = [];
  await window.context.route(/^https:\/\/(checkout|portal)\.example\.com/, (route) => {
    visited.push(route.request().url());
    return route.fulfill({ body: "the provider's page" });
  });
  const page = await openAs(at.world, window, user, "/account");
  await shown(page, "Account");
  const close = async () => {
    // The user went there by a button.
    expect(window.faults).toEqual(visited.map((url) => `request ${url}`));
    await window.context.close();
  };
  return { page, visited, close };
};

test("vehicles are bought on the provider's page, and its return page says when they are there", async () => {
  const user = await at.world.gateway.newUser();
  const { page, visited, close } = await open(user);
  const subscription = part(page, "Subscription");
  await subscription.getByText("A vehicle costs €120.00 a year.").waitFor();
  await subscription.getByRole("button", { name: "One vehicle more" }).click();
  await subscription.getByText("€240.00 a year.").waitFor();
  await subscription.getByRole("button", { name: "Subscribe…" }).click();
  await page.getByText("the provider's page").waitFor();
  expect(visited).toEqual([expect.stringMatching(/^https:\/\/checkout\.example\.com\/cs_test_/)]);
  expect(fake.requests.at(-1)?.fields).toMatchObject({ "line_items[0][quantity]": "2" });

  const origin = at.world.gateway.url;
  await page.goto(`${origin}/billing?checkout=cancelled`);
  await page.getByText("You left the payment page. Nothing was bought.").waitFor();
  await page.goto(`${origin}/billing?checkout=success`);
  await page.getByText("The payment is being processed.").waitFor();
  await paidBy(user, 2);
  await page.getByText("Your subscription is active. It covers 2 physical drones.").waitFor();
  await page.getByRole("link", { name: "To your account" }).click();
  await subscription.getByText("2 physical, 3 simulated").waitFor();
  await part(page, "Payments").getByText("€240.00").waitFor();
  const invoice = part(page, "Payments").getByRole("link", { name: "Invoice" });
  expect(await invoice.getAttribute("href")).toBe("https://invoice.example.com/i/1");
  await close();
});

test("a subscription is changed, cancelled and kept; refusals are in the API's words", async () => {
  const user = await at.world.gateway.newUser();
  const { id } = await paidBy(user, 2);
  const { page, visited, close } = await open(user);
  const subscription = part(page, "Subscription");
  await subscription.getByText("€240.00 a year").waitFor();
  const submit = (count: string) => subscription.getByRole("button", { name: `Change to ${count}` });
  expect(await subscription.getByRole("button", { name: "Change the number" }).isDisabled()).toBe(true);
  await subscription.getByLabel("Vehicles", { exact: true }).fill("4");
  await subscription.getByText("€480.00 a year instead of €240.00 a year.").waitFor();
  fake.failNext(402, { type: "card_error", message: "Your card was declined." }, "POST");
  await submit("4 vehicles").click();
  await subscription.getByText("The payment was refused: Your card was declined.").waitFor();
  await submit("4 vehicles").click();
  await subscription.getByText("4 physical, 5 simulated").waitFor();
  expect(fake.subscriptions.get(id)?.quantity).toBe(4);
  for (let count = 0; count < 3; count++)
    await user.api.post("/drone", { type: "sitl", name: "One", vehicle_type: "copter" });
  await subscription.getByLabel("Vehicles", { exact: true }).fill("1");
  await submit("1 vehicle").click();
  await subscription.getByText("You have 0 physical and 3 simulated vehicles").waitFor();

  await subscription.getByRole("button", { name: "Cancel subscription…" }).click();
  await dialog(page).getByRole("button", { name: "Keep it" }).and(page.locator(":focus")).waitFor();
  await dialog(page).getByText("28 Dec 2027").waitFor();
  await dialog(page).getByRole("button", { name: "Cancel the subscription" }).click();
  await subscription.getByText("Ends", { exact: true }).waitFor();
  expect(fake.subscriptions.get(id)?.cancel_at_period_end).toBe(true);
  await subscription.getByRole("button", { name: "Keep the subscription" }).click();
  await subscription.getByText("Renews", { exact: true }).waitFor();
  expect(fake.subscriptions.get(id)?.cancel_at_period_end).toBe(false);

  await subscription.getByRole("button", { name: "Cancel subscription…" }).click();
  await dialog(page).getByLabel("At once").check();
  await dialog(page).getByRole("button", { name: "Cancel the subscription" }).click();
  await subscription.getByText("Your subscription has ended.").waitFor();
  expect(fake.subscriptions.get(id)?.status).toBe("canceled");
  expect(visited).toEqual([]);
  await close();
});

test("an overdue payment is settled in the provider's portal", async () => {
  const user = await at.world.gateway.newUser();
  await paidBy(user, 1);
  await at.world.gateway.deps.db("subscriptions").where({ user_id: user.id }).update({ status: "past_due" });
  const { page, visited, close } = await open(user);
  const subscription = part(page, "Subscription");
  await subscription.getByText("Payment is overdue").waitFor();
  await subscription.getByRole("button", { name: "Invoices and payment…" }).click();
  await page.getByText("the provider's page").waitFor();
  expect(visited).toEqual([expect.stringMatching(/^https:\/\/portal\.example\.com\//)]);
  await close();
});

test("the simulation is started, costs, and is stopped after a question", async () => {
  const user = await at.world.gateway.newUser();
  const { page, close } = await open(user);
  const simulation = part(page, "Simulation");
  const [start, stop] = ["Start", "Stop"].map((name) =>
    simulation.getByRole("button", { name, exact: true }),
  );
  await simulation.getByText("Stopped", { exact: true }).waitFor();
  expect([await start?.isDisabled(), await stop?.isDisabled()]).toEqual([false, true]);
  await start?.click();
  await simulation.getByText("Running", { exact: true }).waitFor();
  await simulation.getByText("0.00 in the operator's currency").waitFor();
  await simulation.getByText("0.95 in the operator's currency").waitFor();
  await stop?.click();
  await dialog(page).getByText("Every user's vehicles on this machine are gone with it.").waitFor();
  expect((await user.api.get("/simulator/status")).body.state).toBe("running");
  await dialog(page).getByRole("button", { name: "Stop", exact: true }).click();
  await simulation.getByText(/The session's total cost is about/).waitFor();
  await simulation.getByText("Stopped", { exact: true }).waitFor();
  await close();
});

describe("the looks", () => {
  let user: TestUser;
  beforeAll(async () => {
    user = await at.world.gateway.newUser();
    await paidBy(user, 2);
    await user.api.put("/user/report-emails", { extra_emails: "boss@example.com,archive@example.com" });
    await user.api.post("/drone", { type: "sitl", name: "Falcon", vehicle_type: "copter" });
  });
  const openIn = async (page: Page) => {
    await openAs(at.world, { context: page.context(), newTab: async () => page }, user, "");
    await page.goto("/account");
    await page.getByText("€240.00 a year").waitFor();
    await page.getByText("boss@example.com").waitFor();
    await page.getByText("Drone Falcon").waitFor();
  };

  testLooks(at, [["account", "/billing?checkout=cancelled", openIn]]);
});
