import { eventually } from "../../../testing/until";
import { consoleTests, shown, signIn } from "../console-world";
import { HOSTILE, ORIGIN, openMission, PlanPage, waypoint } from "./plan-page";

const at = consoleTests();

const metresNorth = ({ lat }: { lat: number }) => Math.round((lat - ORIGIN.lat) * 111_320);
const metresEast = ({ lng }: { lng: number }) =>
  Math.round((lng - ORIGIN.lng) * 111_320 * Math.cos((ORIGIN.lat * Math.PI) / 180));

test("waypoints are tapped, dragged and inserted between two others, and saved as one change", async () => {
  const { plan, id, stored } = await openMission(at, [waypoint(0)]);
  await plan.button("Tap on map").click();
  await plan.tap(60, 0);
  await plan.tap(60, 80);
  expect(await plan.rows.count()).toBe(3);
  await plan.button("Tap on map").click();
  await plan.drag([60, 80], [20, 80]);
  await plan.drag([30, 0], [30, -40]);
  expect(await plan.rows.count()).toBe(4);
  const writes: string[] = [];
  plan.page.on("request", (request) => {
    if (request.method() !== "GET") writes.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await plan.page.keyboard.press("Control+s");
  await plan.state("saved");
  expect(writes).toEqual([`PUT /api/v1/mission/${id}`]);
  const { mission_points: points } = await stored();
  const near = (metres: number) => expect.closeTo(metres, -0.5);
  expect(points.map((point: never) => [metresNorth(point), metresEast(point)])).toEqual([
    [0, 0],
    [near(30), near(-40)],
    [near(60), near(0)],
    [near(20), near(80)],
  ]);
  expect(points[3]).toMatchObject({ sequence: 4, altitude: 30, frame: 3, command: 16, param4: null });
});

test("a new mission is empty, and its map goes to the first row", async () => {
  const user = await at.world.gateway.newUser();
  const page = await at.window.newTab("/plan");
  await signIn(page, user);
  await page.getByRole("button", { name: "New mission" }).click();
  await page.getByLabel("Name").fill(HOSTILE);
  await page.getByRole("button", { name: "Create" }).click();
  await shown(page, HOSTILE);
  const plan = new PlanPage(page);
  await plan.ready();
  await page.getByText("No rows yet.").waitFor();
  await plan.tap(0, 0);
  await plan.row(1).waitFor();
  await page.locator(".maplibregl-ctrl-scale", { hasText: /^\d+\sm$/ }).waitFor();
});

test("rows are reordered by pointer and keyboard, inserted and deleted, and jumps follow; undo and redo by keyboard", async () => {
  const { plan, stored } = await openMission(at, [
    waypoint(0, { command: 22, label: "start" }),
    waypoint(20, { label: "second" }),
    waypoint(40, { label: "third" }),
    { ...waypoint(0), lat: 0, lng: 0, altitude: 0, command: 177, param1: 3, param2: 2 },
  ]);
  const { page } = plan;
  const jumps = async (to: number) => plan.page.getByText(`to ${to}, 2×`).waitFor();
  await jumps(3);
  await plan.row(1).click();
  await plan.field("Add").selectOption("Return to launch");
  await plan.button("Insert").click();
  await jumps(4);
  // The third waypoint, which is row 4 now, goes up by keyboard.
  await plan.row(4).click();
  await page.keyboard.press("Alt+ArrowUp");
  await jumps(3);
  expect(await plan.row(3).textContent()).toContain("third");
  await eventually("the keyboard stays with the row", () =>
    page.evaluate(() => document.activeElement?.textContent?.includes("third") ?? false),
  );
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Delete");
  await jumps(2);
  // By its handle, below the last one.
  const handle = await page.locator('li[aria-posinset="1"] .row-handle').boundingBox();
  const last = await plan.row(4).boundingBox();
  if (!handle || !last) throw new Error("The list is not shown.");
  await page.mouse.move(handle.x + 10, handle.y + 20);
  await page.mouse.down();
  await page.mouse.move(handle.x + 10, handle.y + 60);
  await page.mouse.move(handle.x + 10, last.y + last.height - 2);
  await page.locator(".row-gap").waitFor();
  await page.mouse.up();
  await jumps(1);
  expect(await plan.row(4).textContent()).toContain("start");
  await page.keyboard.press("Control+z");
  await jumps(2);
  for (let steps = 0; steps < 3; steps++) await page.keyboard.press("Control+z");
  await plan.state("saved");
  expect(await plan.button("Undo (Ctrl+Z)").isDisabled()).toBe(true);
  for (let steps = 0; steps < 4; steps++) await page.keyboard.press("Control+Shift+z");
  await jumps(1);
  await plan.button("Save").click();
  await plan.state("saved");
  const { mission_points } = await stored();
  expect(mission_points.map(({ label, command, param1 }: never) => [label, command, param1])).toEqual([
    ["third", 16, 0],
    ["second", 16, 0],
    [null, 177, 1],
    ["start", 22, 0],
  ]);
});

test("a row has its command's parameters by name, any other command by its number, in the user's units", async () => {
  const { plan, stored } = await openMission(at, [waypoint(0), waypoint(50)]);
  const { page } = plan;
  await plan.row(2).click();
  await plan.field("Command").selectOption("Loiter turns");
  await plan.field("Turns").fill("2,5");
  await plan.field("Turns").press("Enter");
  await page.getByRole("button", { name: "Imperial units" }).click();
  await plan.field("Radius ft").fill("100");
  await plan.field("Radius ft").press("Enter");
  await plan.field("Height ft").fill("none");
  await plan.field("Height ft").press("Enter");
  await page.getByText("Enter a number.").waitFor();
  await plan.field("Height ft").fill("200");
  await plan.field("Height ft").press("Enter");
  await page.locator("dd", { hasText: "200 ft" }).waitFor();
  await plan.button("This height for all rows in the air").click();
  await page.getByRole("img", { name: "Heights from 200 ft to 200 ft over 164 ft" }).waitFor();
  await page.keyboard.press("Control+z");
  // PX4 takes no turns.
  await plan.field("For").selectOption("PX4");
  await page.getByText("PX4 does not take this command in a mission.").waitFor();
  await plan.row(1).click();
  await plan.field("Yaw °").fill("90");
  await plan.field("Yaw °").press("Enter");
  await plan.field("Command").selectOption("Another, by its number…");
  await plan.field("MAV_CMD number").fill("31010");
  await plan.field("MAV_CMD number").press("Enter");
  await plan.field("Parameter 3").fill("7.25");
  await plan.field("Parameter 3").press("Enter");
  await plan.button("Save").click();
  await plan.state("saved");
  const [unknown, loiter] = (await stored()).mission_points;
  expect(unknown).toMatchObject({ command: 31_010, param3: 7.25, lat: ORIGIN.lat, altitude: 30 });
  expect(loiter).toMatchObject({ command: 18, param1: 2.5, altitude: expect.closeTo(60.96, 3) });
  expect(loiter.param3).toBeCloseTo(30.48, 3);
});

test("names and labels are text, and the figures are those of the route", async () => {
  const { plan } = await openMission(at, [waypoint(0, { label: HOSTILE }), waypoint(100)], HOSTILE);
  await shown(plan.page, HOSTILE);
  expect(await plan.row(1).textContent()).toContain(HOSTILE);
  expect(await plan.page.title()).toContain(HOSTILE);
  await plan.page.getByText("100 m", { exact: true }).first().waitFor();
  await plan.page.getByRole("img", { name: "Heights from 30 m to 30 m over 100 m" }).waitFor();
  // 12 s of climb, 100 m by 5 m/s.
  await plan.page.getByText("0:32", { exact: true }).waitFor();
  await plan.field("Speed m/s").fill("10");
  await plan.field("Speed m/s").press("Enter");
  await plan.page.getByText("0:22", { exact: true }).waitFor();
});
