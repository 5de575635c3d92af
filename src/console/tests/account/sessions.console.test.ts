import type { Page } from "playwright-core";
import type { TestUser } from "../../../testing/worlds/start-gateway";
import { consoleTests, shown, signIn } from "../console-world";

const at = consoleTests();
let user: TestUser;
beforeEach(async () => {
  user = await at.world.gateway.newUser();
});

/** A tab that is signed in, and the access tokens that its requests carried. */
async function signedIn(path = "/"): Promise<{ page: Page; accessTokens: string[] }> {
  const page = await at.window.newTab(path);
  const accessTokens: string[] = [];
  page.on("request", (request) => {
    const token = request.headers().authorization?.replace("Bearer ", "");
    if (token && !request.url().endsWith("/auth/refresh")) accessTokens.push(token);
  });
  await signIn(page, user);
  await shown(page, "Fleet");
  await page.getByText("You have no drones yet.").waitFor();
  return { page, accessTokens };
}

/** As after ten minutes: the access token is refused, the refresh token is not. */
const endAccessToken = (token: string) => at.world.gateway.api.as(token).delete("/logout");

/** As after twelve hours, or a password that was set elsewhere: both tokens are refused. */
async function endSession(accessToken: string): Promise<void> {
  await endAccessToken(accessToken);
  await at.world.gateway.deps.db("users").where({ id: user.id }).update({ password_changed_at: new Date() });
}

/** Leaves the drones and opens them again, without a load of the page. */
async function openDronesAgain(page: Page): Promise<void> {
  await page.evaluate(() => {
    history.pushState(null, "", "/billing");
    dispatchEvent(new PopStateEvent("popstate"));
  });
  await page.getByRole("link", { name: "To your fleet" }).click();
}

test("an expired access token is refreshed unseen", async () => {
  const { page, accessTokens } = await signedIn();
  const expired = accessTokens.at(-1) as string;
  expect((await endAccessToken(expired)).status).toBe(200);
  await openDronesAgain(page);
  await shown(page, "Fleet");
  await page.getByText("You have no drones yet.").waitFor();
  expect(accessTokens.at(-1)).not.toBe(expired);
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("a session that has ended is begun anew at the address where it ended", async () => {
  const { page, accessTokens } = await signedIn("/?of=yesterday");
  await endSession(accessTokens.at(-1) as string);
  await page.reload();
  await page.getByText("Your session has ended.").waitFor();
  await signIn(page, user);
  await shown(page, "Fleet");
  expect(page.url()).toBe(`${at.world.gateway.url}/?of=yesterday`);
});

test("a session that ends without a load of the page asks for the password, too", async () => {
  const { page, accessTokens } = await signedIn();
  await endSession(accessTokens.at(-1) as string);
  await openDronesAgain(page);
  await page.getByText("Your session has ended.").waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  await signIn(page, user);
  await shown(page, "Fleet");
});

test("a reload keeps the session, and no token is kept beyond the tab", async () => {
  const { page } = await signedIn();
  await page.reload();
  await shown(page, "Fleet");
  const kept = await page.evaluate(() => [
    Object.keys(localStorage),
    Object.keys(sessionStorage),
    document.cookie,
  ]);
  expect(kept).toEqual([[], ["refresh_token"], ""]);
});

test("a new tab has the session of the others, and a sign-out ends it in all", async () => {
  const { page, accessTokens } = await signedIn();
  const second = await at.window.newTab("/");
  await shown(second, "Fleet");
  await second.getByRole("button", { name: "Sign out" }).click();
  await Promise.all([shown(page, "Sign in"), shown(second, "Sign in")]);
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  expect((await at.world.gateway.api.as(accessTokens.at(-1)).get("/user")).status).toBe(401);
  await page.reload();
  await shown(page, "Sign in");
});

test("a sign-in in one tab signs the others in, as another user too", async () => {
  const other = await at.world.gateway.newUser();
  await other.api.post("/drone", { type: "sitl", name: "Of the other user", vehicle_type: "copter" });
  const first = await at.window.newTab("/");
  const { page: second } = await signedIn();
  await shown(first, "Fleet");
  await second.getByRole("button", { name: "Sign out" }).click();
  await shown(first, "Sign in");
  await signIn(second, other);
  await first.getByText("Of the other user").waitFor();
  expect(await first.getByText(other.username).isVisible()).toBe(true);
});

test("tabs of another window have no part in the session", async () => {
  await signedIn();
  const apart = await at.world.browser.newWindow();
  const page = await apart.newTab("/");
  await shown(page, "Sign in");
  await apart.context.close();
});

test("a gateway that does not answer is said, and asked again", async () => {
  const { page } = await signedIn();
  const api = "**/api/v1/**";
  await page.route(api, (route) => route.abort("connectionrefused"));
  await page.reload();
  await shown(page, "The gateway does not answer. Check the connection and try again.");
  await page.unroute(api);
  await page.getByRole("button", { name: "Try again" }).click();
  await shown(page, "Fleet");
  // The browser itself says on its console that the connection was refused.
  at.window.faults.splice(0);
});

test("live data that never comes is said, until it comes", async () => {
  const page = await at.window.newTab("/billing");
  let isBlocked = true;
  await page.routeWebSocket(
    /socket\.io/,
    (socket) => void (isBlocked ? socket.close() : socket.connectToServer()),
  );
  await page.goto("/sign-in");
  await signIn(page, user);
  const banner = page.getByRole("alert").filter({ hasText: "No connection to the gateway" });
  await banner.waitFor();
  isBlocked = false;
  await banner.waitFor({ state: "detached" });
});
