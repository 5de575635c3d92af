import { eventually } from "../../../testing/until";
import { consoleTests, shown, signIn } from "../console-world";

const at = consoleTests();

test("a user signs in and sees their drones", async () => {
  const user = await at.world.gateway.newUser();
  await user.api.post("/drone", { type: "sitl", name: "Falcon", vehicle_type: "rover" });
  const page = await at.window.newTab("/");
  await signIn(page, user);
  await shown(page, "Fleet");
  await page.getByRole("option", { name: "Falcon" }).waitFor();
  expect(await page.title()).toBe("Fleet – Fleet Gateway");
  expect(await page.getByText(user.username).isVisible()).toBe(true);
});

test("a wrong password is refused in the API's words, and the email stays", async () => {
  const user = await at.world.gateway.newUser();
  const page = await at.window.newTab("/sign-in");
  const { body } = await at.world.gateway.api.post("/login", { username: user.username, password: "wrong" });
  await signIn(page, { ...user, password: "wrong" });
  await page.getByRole("alert").filter({ hasText: body[0].error }).waitFor();
  expect(await page.getByLabel("Email").inputValue()).toBe(user.username);
  await signIn(page, user);
  await shown(page, "Fleet");
  expect(new URL(page.url()).pathname).toBe("/");
});

test("a user without drones is told so", async () => {
  const page = await at.window.newTab("/sign-in");
  await signIn(page, await at.world.gateway.newUser());
  await page.getByText("You have no drones yet.").waitFor();
});

test.each([
  "<img src=x onerror=\"document.title='run'\">",
  "<script>document.title = 'run'</script>",
  "{{constructor.constructor('return 1')()}} &lt;b&gt; \u202e",
])("the name %s of a drone is shown as text", async (name) => {
  const user = await at.world.gateway.newUser();
  const { body } = await user.api.post("/drone", { type: "sitl", name, vehicle_type: "copter" });
  expect(body).toMatchObject({ name });
  const page = await at.window.newTab("/");
  await signIn(page, user);
  const drone = page.getByRole("option");
  await drone.waitFor();
  expect(await drone.locator("strong").textContent()).toBe(name);
  expect(await page.locator("main img, main script, main b").count()).toBe(0);
  expect(await page.title()).toBe("Fleet – Fleet Gateway");
});

test("the keyboard alone signs a user in and out", async () => {
  const user = await at.world.gateway.newUser();
  const page = await at.window.newTab("/sign-in");
  await shown(page, "Sign in");
  const focused = () =>
    page.evaluate(() => {
      const { activeElement: at } = document;
      return at?.getAttribute("aria-label") ?? at?.getAttribute("name") ?? at?.textContent;
    });
  const tabTo = async (name: string) => {
    for (let presses = 0; (await focused()) !== name; presses++) {
      if (presses > 15) throw new Error(`Tab does not reach ${name}.`);
      await page.keyboard.press("Tab");
    }
  };
  await tabTo("Skip to the content");
  await tabTo("email");
  await page.keyboard.type(user.username);
  await tabTo("password");
  await page.keyboard.type(user.password);
  await page.keyboard.press("Enter");
  await shown(page, "Fleet");
  // After the bar. The page gives it the focus once it is drawn.
  await eventually("the heading of the new page has the focus", async () => (await focused()) === "Fleet");
  await page.keyboard.press("Shift+Tab");
  expect(await focused()).toBe("Sign out");
  await page.keyboard.press("Enter");
  await shown(page, "Sign in");
  expect(new URL(page.url()).pathname).toBe("/sign-in");
});

test("the password is shown on request and hidden again", async () => {
  const page = await at.window.newTab("/sign-in");
  const field = page.getByLabel("Password", { exact: true });
  await field.fill("correct horse");
  await page.getByRole("button", { name: "Show the password" }).click();
  expect([await field.getAttribute("type"), await field.inputValue()]).toEqual(["text", "correct horse"]);
  await page.getByRole("button", { name: "Hide the password" }).click();
  expect(await field.getAttribute("type")).toBe("password");
});

test("an address without a page says so, and leads to the drones", async () => {
  const page = await at.window.newTab("/no/such/page");
  await shown(page, "Page not found");
  await page.getByRole("link", { name: "To your fleet" }).click();
  await shown(page, "Sign in");
});

test("an account is offered where the gateway allows registrations", async () => {
  const offered = async (registration: boolean) => {
    const page = await at.window.newTab("/billing");
    await page.route("**/sign-in", async (route) => {
      const html = (await (await route.fetch()).text()).replace(
        /registration(&quot;|"):true/,
        `registration$1:${registration}`,
      );
      await route.fulfill({ contentType: "text/html", body: html });
    });
    await page.goto("/sign-in");
    await shown(page, "Sign in");
    return page.getByRole("link", { name: "Create an account" }).count();
  };
  expect([await offered(true), await offered(false)]).toEqual([1, 0]);
});
