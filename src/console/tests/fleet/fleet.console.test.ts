import { atEndOfFile } from "../../../testing";
import { eventually, until } from "../../../testing/until";
import { interruptibleLink } from "../../../testing/worlds/interruptible-link";
import { simulatedDrone } from "../../../testing/worlds/simulated-drone";
import { startTestSimulator } from "../../../testing/worlds/simulator";
import type { TestUser } from "../../../testing/worlds/start-gateway";
import { testLooks } from "../appearance";
import { consoleTests, signIn } from "../console-world";
import { button, deadDrone, HOSTILE, inRow, openFleet, panel, row, subscribe, takeOff } from "./fleet-page";

const at = consoleTests();

let user: TestUser;
beforeEach(async () => {
  user = await at.world.gateway.newUser();
});

test("drones are shown as they are now, and narrowed by state and name", async () => {
  await subscribe(at.world, user, 9);
  const flown = await simulatedDrone(user.api);
  await user.api.put(`/drone/${flown.id}`, { name: HOSTILE });
  const grounded = await simulatedDrone(user.api);
  await user.api.put(`/drone/${grounded.id}`, { name: "Heron 2" });
  await deadDrone(user, "Heron 10");
  const page = await openFleet(at.window, user);
  const names = () => page.locator(".drone-name").allTextContents();
  await inRow(page, "Heron 2", /Disarmed · STABILIZE/);
  await inRow(page, HOSTILE, /Disarmed/);
  await inRow(page, "Heron 10", "No answer");
  expect(await names()).toEqual([HOSTILE, "Heron 2", "Heron 10"]);
  expect(await page.locator("main img, main script").count()).toBe(0);

  await takeOff(user, flown.id);
  await inRow(page, HOSTILE, /Flying · GUIDED.*(19|20)\.\d m/);
  await page.getByRole("button", { name: "Flying 1" }).click();
  expect(await names()).toEqual([HOSTILE]);
  await page.getByRole("button", { name: "Offline 1" }).click();
  expect(await names()).toEqual(["Heron 10"]);
  await page.getByRole("button", { name: "All 3" }).click();
  await page.getByRole("searchbox", { name: "Find by name" }).fill("heron");
  expect(await names()).toEqual(["Heron 2", "Heron 10"]);
  await page.reload();
  await inRow(page, "Heron 2", "Disarmed");
  expect(await names()).toEqual(["Heron 2", "Heron 10"]);
  await page.getByRole("searchbox", { name: "Find by name" }).fill("no such");
  await button(page, "Show all drones").click();
  expect(await names()).toHaveLength(3);
  expect(await page.title()).toBe("Fleet – Fleet Gateway");
});

test("a drone is selected by the keyboard in the list, by a press on the map, and flown from both", async () => {
  await subscribe(at.world, user, 9);
  const { id } = await simulatedDrone(user.api);
  await user.api.put(`/drone/${id}`, { name: HOSTILE });
  await deadDrone(user, "Albatross");
  const page = await openFleet(at.window, user);
  await inRow(page, HOSTILE, "Disarmed");
  const list = page.getByRole("listbox", { name: "Drones" });
  await list.press("End");
  await panel(page, "Albatross").waitFor();
  await list.press("ArrowUp");
  await panel(page, HOSTILE).waitFor();
  expect(await row(page, HOSTILE).getAttribute("aria-selected")).toBe("true");
  await panel(page, HOSTILE).getByText("47.39774°, 8.54559°").waitFor();
  await panel(page, HOSTILE).getByRole("button", { name: "Close" }).click();
  await page.getByText("Select a drone in the list or on the map.").waitFor();

  await button(page, "Show all").click();
  const canvas = page.locator(".map-canvas canvas");
  // The map moves to the only drone that has a position, which is in its middle then.
  await until(async () => {
    await canvas.click();
    return panel(page, HOSTILE).isVisible();
  });
  await list.press("Enter");
  await page.waitForURL(`**/fly/${id}`);
  await page.goBack();
  await panel(page, HOSTILE).getByRole("link", { name: "Fly" }).click();
  await page.waitForURL(`**/fly/${id}`);
});

test("a drone that falls silent looks old within two seconds, and a link lost in flight is told apart", async () => {
  const { vehicle, stop } = await startTestSimulator([{ kind: "copter" }], 10);
  atEndOfFile(stop);
  const link = await interruptibleLink(`tcp://127.0.0.1:${vehicle.port}`);
  const { port } = new URL(link.url);
  const input = { type: "sitl", vehicle_type: "copter", port: Number(port), link_host: "127.0.0.1" };
  const { body } = await user.api.post("/drone", { ...input, name: "Heron" });
  const page = await openFleet(at.window, user);
  await inRow(page, "Heron", "Disarmed");
  await user.api.post("/drone/action/arm", { drone_id: body.id });
  await inRow(page, "Heron", /Armed · STABILIZE/);
  expect(await row(page, "Heron").getAttribute("class")).not.toContain("old");
  const firstSaid = page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const drone = document.querySelector('[role="option"]') as HTMLElement;
        const look = () => drone.classList.contains("old") && resolve(drone.textContent);
        new MutationObserver(look).observe(drone, { attributes: true });
      }),
  );
  link.stall();
  expect(await firstSaid).toMatch(/Armed, silent for [12] s/);
  link.cut();
  await inRow(page, "Heron", /Link lost \d+ s ago, armed/);
  await page.getByRole("button", { name: "Offline 1" }).waitFor();
  link.mend();
  await inRow(page, "Heron", /Armed · STABILIZE/);
  // The page keeps the link, also on the gateway that takes the place of this one.
  await at.world.restartGateway();
  await eventually("another gateway has dialled it", () => link.connections === 1);
  await inRow(page, "Heron", /Armed · STABILIZE/);
  expect(await row(page, "Heron").getAttribute("class")).not.toContain("old");
  // The browser itself says on its console that its socket was closed.
  at.window.faults.splice(0);
});

test("the drones of a large fleet are not dialled before somebody asks for it", async () => {
  await subscribe(at.world, user, 20);
  const { id, vehicle } = await simulatedDrone(user.api);
  await user.api.put(`/drone/${id}`, { name: "Alive" });
  for (let count = 0; count < 8; count++) await deadDrone(user, `Dead ${count}`);
  const page = await openFleet(at.window, user);
  await inRow(page, "Alive", "Not heard yet");
  await inRow(page, "Dead 7", "Not heard yet");
  expect(vehicle.connected).toBe(false);
  await row(page, "Alive").click();
  await panel(page, "Alive").getByRole("button", { name: "Connect" }).click();
  await inRow(page, "Alive", "Disarmed");
  await row(page, "Dead 7").click();
  await panel(page, "Dead 7").getByRole("button", { name: "Connect" }).click();
  await panel(page, "Dead 7").getByText("Nothing answers at 127.0.0.1:9.").waitFor();
  await inRow(page, "Dead 7", "No answer");
  await button(page, "Connect 8 drones that have no link").click();
  await inRow(page, "Dead 0", "No answer");
});

/** A user with a drone of each kind, for all looks. */
let shownUser: Promise<TestUser> | undefined;
async function userToLookAt(): Promise<TestUser> {
  await subscribe(at.world, user, 9);
  await deadDrone(user, "Albatross over the lake, with a name that is too long for its row");
  const flown = await simulatedDrone(user.api);
  await user.api.put(`/drone/${flown.id}`, { name: "Heron 2" });
  await takeOff(user, flown.id);
  await user.api.post("/drone", { type: "physical", name: "Kestrel", vehicle_type: "rover" });
  return user;
}

testLooks(at, [
  [
    "fleet",
    "/",
    async (page) => {
      shownUser ??= userToLookAt();
      await signIn(page, await shownUser);
      await inRow(page, "Heron 2", "Flying · GUIDED");
      await inRow(page, "Albatross", "No answer");
      await inRow(page, "Kestrel", "No answer");
      await row(page, "Heron 2").click();
      await panel(page, "Heron 2").waitFor();
      if ((page.viewportSize()?.width ?? 0) > 768) await button(page, "Show all").waitFor();
    },
  ],
]);
