import { simulatedDrone } from "../../../testing/worlds/simulated-drone";
import { consoleTests } from "../console-world";
import { HOSTILE, ORIGIN, openMission, PlanPage, waypoint } from "./plan-page";

const at = consoleTests();

const takeOff = waypoint(0, { command: 22, altitude: 15 });

/** The mission's page, at the panel of the drone, with a simulated copter. */
async function onDrone(points: readonly object[]) {
  const opened = await openMission(at, points);
  const drone = await simulatedDrone(opened.user.api);
  await opened.user.api.put(`/drone/${drone.id}`, { name: HOSTILE });
  await opened.plan.page.reload();
  await opened.plan.tab("Drone");
  await opened.plan.page.getByRole("combobox", { name: "Drone" }).waitFor();
  const order = (path: string, body: object = {}) =>
    opened.user.api.post(`/drone/action/${path}`, { drone_id: drone.id, ...body });
  const outcome = (words: string) =>
    opened.plan.page.locator(".order").first().locator(".outcome", { hasText: words }).waitFor();
  return { ...opened, drone, order, outcome };
}

test("a mission is pushed with what the vehicle adjusts, compared row by row, and assigned", async () => {
  const turns = waypoint(40, { command: 18, param1: 2.5, param3: 20, param4: 0 });
  const { plan, user, drone, outcome } = await onDrone([takeOff, turns, waypoint(80)]);
  const { page } = plan;
  await plan.button("Push").click();
  await outcome("done");
  await page.getByText("3 items, read back and compared.").first().waitFor();
  const adjusted = page.getByRole("row", { name: "2 Parameter 1 2.5 2" });
  await adjusted.waitFor();
  await plan.button("Compare").click();
  await page.getByText("It is what a push would send now.").waitFor();
  // What is compared is what is saved: the change is, first.
  await plan.tab("Rows");
  await plan.row(3).click();
  await plan.field("Height m").fill("55");
  await plan.field("Height m").press("Enter");
  await plan.tab("Drone");
  await plan.button("Save and compare").click();
  await page.getByText("55 here, 30 on board").waitFor();
  await page.getByRole("button", { name: "Row 3" }).click();
  expect(await plan.row(3).textContent()).toContain("not so on board");
  await plan.tab("Drone");
  await plan.button("Assign the mission").click();
  await plan.button("Unassign the mission").waitFor();
  expect((await user.api.get("/drones")).body[0]).toMatchObject({
    ...{ id: drone.id, name: HOSTILE },
    mission_id: expect.any(Number),
  });
});

test("a refusal is shown at its row, in the vehicle's words; one of a flying vehicle can be forced", async () => {
  const { plan, order, outcome } = await onDrone([
    takeOff,
    waypoint(3_000),
    waypoint(40, { command: 9_999 }),
  ]);
  const { page } = plan;
  await plan.button("Push").click();
  await outcome("refused");
  await plan.button("Show row 3").click();
  expect(await plan.row(3).textContent()).toContain("refused by the vehicle");
  await page.locator(".faults", { hasText: "MAV_MISSION_UNSUPPORTED" }).waitFor();
  await plan.field("Command").selectOption("Waypoint");
  await plan.tab("Drone");
  await plan.button("Save and push").click();
  await outcome("done");
  for (const [path, body] of [
    ["guided", {}],
    ["arm", {}],
    ["start_mission", {}],
    ["set_mode", { mode_info: { custom_mode: "AUTO" } }],
  ] as const)
    expect((await order(path, body)).status).toBe(200);
  await plan.button("Push").click();
  await outcome("refused");
  await page.getByRole("button", { name: "Hold to push all the same" }).hover();
  await page.mouse.down();
  await outcome("done");
  await page.mouse.up();
  // An answer that was lost.
  await page.route("**/drone/action/push_mission", (route) =>
    route.fulfill({
      status: 500,
      headers: { "X-Outcome": "unknown" },
      json: { error: `The drone may have ${HOSTILE} or not.` },
    }),
  );
  await plan.button("Push").click();
  await outcome("unknown: look before you repeat");
  await page.getByText(`The drone may have ${HOSTILE} or not.`).last().waitFor();
});

test("a circle is dragged by its centre and by its border", async () => {
  const user = await at.world.gateway.newUser();
  const { id } = (await user.api.post("/geofence", { name: "Pond", type: "circle" })).body;
  await user.api.post(`/geofence/${id}/points`, [{ ...ORIGIN, command: 5004, param1: 60 }]);
  const plan = await PlanPage.open(at.window, user, `/plan/geofence/${id}`);
  await plan.drag([0, 60], [0, 90]);
  await plan.drag([0, 0], [40, 0]);
  await plan.page.keyboard.press("Control+z");
  await plan.page.keyboard.press("Control+Shift+z");
  await plan.button("Save").click();
  await plan.state("saved");
  const [centre] = (await user.api.get(`/geofence/${id}`)).body.geofence_points;
  expect(centre).toMatchObject({ command: 5004, param1: expect.closeTo(90, -0.5) });
  expect((centre.lat - ORIGIN.lat) * 111_320).toBeCloseTo(40, -0.5);
});

test("a geofence is drawn, made a circle and back, pushed and compared; the drone's fence is synced and cleared", async () => {
  const user = await at.world.gateway.newUser();
  const { id } = (
    await user.api.post("/geofence", { name: HOSTILE, type: "polygon", fence_type: "inclusion" })
  ).body;
  await user.api.post(`/geofence/${id}/points`, [{ ...ORIGIN, command: 5001 }]);
  await simulatedDrone(user.api);
  const plan = await PlanPage.open(at.window, user, `/plan/geofence/${id}`);
  const { page } = plan;
  const stored = async () => (await user.api.get(`/geofence/${id}`)).body;
  await page.getByText("A polygon needs three vertices at least.").waitFor();
  await plan.button("Tap adds a vertex").click();
  await plan.tap(100, 0);
  await plan.tap(100, 100);
  await plan.tap(0, 100);
  await plan.button("Tap adds a vertex").click();
  await plan.drag([100, 100], [80, 80]);
  await plan.drag([50, 0], [50, -30]);
  expect(await plan.rows.count()).toBe(5);
  await plan.tab("Drone");
  await plan.button("Save and push").click();
  const outcome = (words: string) =>
    page.locator(".order").first().locator(".outcome", { hasText: words }).waitFor();
  await outcome("done");
  expect(await stored()).toMatchObject({
    fence_type: "inclusion",
    geofence_points: Array(5).fill({ param1: 5 }),
  });
  await plan.button("Compare").click();
  await page.getByText("This geofence is on board, and no other.").waitFor();

  await plan.tab("Geofence");
  await plan.field("Shape").selectOption("Circle");
  await plan.field("Radius m").fill("60");
  await plan.field("Radius m").press("Enter");
  await plan.field("The vehicle stays").selectOption("outside");
  await plan.button("Save").click();
  await plan.state("saved");
  expect(await stored()).toMatchObject({
    ...{ type: "circle", fence_type: "exclusion" },
    geofence_points: [{ command: 5004, param1: 60 }],
  });
  await plan.tab("Drone");
  await plan.button("Compare").click();
  await page.getByText("Another fence is on board, of 1 area.").waitFor();
  await plan.button("Sync").click();
  await outcome("done");
  await plan.button("Clear").click();
  await page.getByRole("dialog").getByRole("button", { name: "Clear" }).click();
  await page.locator(".order").first().getByText("The drone's fence is cleared.").waitFor();
});
