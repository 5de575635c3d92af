import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { eventually } from "../../../testing/until";
import { insertMissions } from "../../../testing/worlds/plans";
import { testLooks } from "../appearance";
import { consoleTests, shown, signIn } from "../console-world";
import { HOSTILE, ORIGIN, openMission, PlanPage, storedMission, waypoint } from "./plan-page";

const at = consoleTests();

/** A file as the browser's dialog gives it. */
const choose = (page: Page, name: string, content: string) =>
  page.getByLabel("File", { exact: true }).setInputFiles({
    ...{ name, mimeType: "application/octet-stream" },
    buffer: Buffer.from(content),
  });

test("plans are listed, enabled and deleted, and their names are text", async () => {
  const user = await at.world.gateway.newUser();
  await storedMission(user.api, HOSTILE, [waypoint(0), waypoint(100)]);
  const { id } = (await user.api.post("/geofence", { name: `fence ${HOSTILE}`, type: "circle" })).body;
  const page = await at.window.newTab("/plan");
  await signIn(page, user);
  await page.getByRole("row", { name: `${HOSTILE} 2 100 m` }).waitFor();
  await page.getByRole("checkbox", { name: `fence ${HOSTILE} enabled` }).click();
  await eventually(
    "it is stored",
    async () => (await user.api.get(`/geofence/${id}`)).body.enabled === false,
  );
  await page.getByRole("checkbox", { name: `fence ${HOSTILE} enabled`, checked: false }).waitFor();
  await page.getByRole("button", { name: `Delete ${HOSTILE}` }).click();
  await page.getByRole("dialog", { name: `Delete “${HOSTILE}”?` }).waitFor();
  await page.getByRole("button", { name: "Delete the mission" }).click();
  await page.getByText("You have no missions yet.").waitFor();
  expect((await user.api.get("/missions")).body).toEqual([]);
});

test("files are imported with what was left out, refused with the line, and exported", async () => {
  const user = await at.world.gateway.newUser();
  const page = await at.window.newTab("/plan");
  await signIn(page, user);
  const missions = page.getByRole("region", { name: "Missions" });
  await missions.getByRole("button", { name: "Import" }).click();
  await choose(page, "broken.waypoints", "QGC WPL 110\n0\t1\t0\t16\n");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog
    .getByRole("alert")
    .getByText(/line 2/)
    .waitFor();
  const row = (...values: (string | number)[]) => values.join("\t");
  const wpl = [
    "QGC WPL 110",
    row(0, 1, 0, 16, 0, 0, 0, 0, ORIGIN.lat, ORIGIN.lng, 480, 1),
    row(1, 0, 3, 22, 0, 0, 0, 0, ORIGIN.lat, ORIGIN.lng, 20, 1),
    row(2, 0, 3, 16, 0, 0, 0, 0, ORIGIN.lat, ORIGIN.lng + 0.001, 20, 1),
  ].join("\n");
  await choose(page, "field.waypoints", wpl);
  await dialog.getByLabel("Name, if not the file's own").fill("Field");
  await dialog.getByRole("button", { name: "Import" }).click();
  await dialog.getByText(/Not stored as the file has it/).waitFor();
  await dialog.getByText(/home/i).first().waitFor();
  await dialog.getByRole("link", { name: "Field" }).click();
  const plan = new PlanPage(page);
  await plan.ready();
  expect(await plan.rows.count()).toBe(2);
  await plan.row(2).click();
  await plan.field("Label").fill(HOSTILE);
  await plan.tab("Name, file");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Mission Planner .waypoints" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("Field.waypoints");
  expect(await readFile((await download.path()) as string, "utf8")).toMatch(/^QGC WPL 110/);
  await page.getByText(/The file cannot say: .*labels/).waitFor();
});

test("a mission of 2,000 points opens, scrolls, is dragged and saved", async () => {
  const { newUser, deps } = at.world.gateway;
  const user = await newUser();
  const [id] = await insertMissions(deps.db, user.id, { plans: 1, pointsEach: 2_000, label: HOSTILE });
  const before = (await user.api.get(`/mission/${id}`)).body.mission_points;
  const plan = await PlanPage.open(at.window, user, `/plan/mission/${id}`);
  const { page } = plan;
  await plan.row(1).focus();
  await page.keyboard.press("End");
  await plan.row(2_000).waitFor();
  // The list renders what is seen of it.
  expect(await plan.rows.count()).toBeLessThan(60);
  await page.keyboard.press("Home");
  await plan.row(1).waitFor();
  // The middle of the map is that of the line.
  for (let zoom = 0; zoom < 5; zoom++) await page.getByRole("button", { name: "Zoom in" }).click();
  await plan.drag([0, 0], [30, 0]);
  await plan.state("changed");
  await plan.button("Save").click();
  await plan.state("saved");
  const after = (await user.api.get(`/mission/${id}`)).body.mission_points;
  expect(after).toHaveLength(2_000);
  const moved = after.filter(({ lat, lng }: { lat: number; lng: number }, index: number) => {
    const was = before[index];
    return lat !== was.lat || lng !== was.lng;
  });
  expect(moved).toHaveLength(1);
});

describe("looks", () => {
  const prepared = async () => {
    const user = await at.world.gateway.newUser();
    const id = await storedMission(user.api, "Survey of the field", [
      waypoint(0, { command: 22, altitude: 20 }),
      waypoint(50, { label: "Gate" }),
      {
        ...waypoint(0),
        lat: 0,
        lng: 0,
        altitude: 0,
        frame: 2,
        command: 178,
        param1: 1,
        param2: 8,
        param3: -1,
      },
      waypoint(120, { lng: ORIGIN.lng + 0.001, altitude: 60 }),
      waypoint(60, { lng: ORIGIN.lng + 0.002, command: 82, altitude: 45 }),
      { ...waypoint(0), lat: 0, lng: 0, altitude: 0, frame: 2, command: 177, param1: 9, param2: 2 },
      { ...waypoint(0), lat: 0, lng: 0, altitude: 0, frame: 2, command: 20 },
    ]);
    const fence = (
      await user.api.post("/geofence", { name: "Field", type: "polygon", fence_type: "inclusion" })
    ).body;
    await user.api.post(
      `/geofence/${fence.id}/points`,
      [-50, 200].flatMap((north) =>
        (north < 0 ? [-0.001, 0.003] : [0.003, -0.001]).map((east) => ({
          ...{ lat: ORIGIN.lat + north / 111_320, lng: ORIGIN.lng + east },
          command: 5001,
        })),
      ),
    );
    return { user, id, fence };
  };
  let made: Awaited<ReturnType<typeof prepared>>;
  beforeAll(async () => {
    made = await prepared();
  });
  testLooks(at, [
    [
      "plans",
      "/plan",
      async (page) => {
        await signIn(page, made.user);
        await page.getByRole("link", { name: "Field", exact: true }).waitFor();
      },
    ],
    [
      "plan-mission",
      "/plan",
      async (page) => {
        await signIn(page, made.user);
        await page.getByRole("link", { name: "Survey of the field" }).click();
        const plan = new PlanPage(page);
        await plan.ready();
        await plan.row(4).click();
        await page.locator("svg circle.selected").waitFor();
      },
    ],
    [
      "plan-geofence",
      "/plan",
      async (page) => {
        await signIn(page, made.user);
        await page.getByRole("link", { name: "Field", exact: true }).click();
        const plan = new PlanPage(page);
        await plan.ready();
        await plan.row(2).click();
        await page.getByRole("heading", { name: "Vertex 2" }).waitFor();
      },
    ],
  ]);
});

test("an address of no mission says so, and one without a number is that of no page", async () => {
  const { plan } = await openMission(at, [waypoint(0)]);
  await plan.page.goto("/plan/mission/2000000000");
  await plan.page.getByRole("alert").getByText("You have no mission 2000000000.").waitFor();
  const asked: string[] = [];
  plan.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  for (const path of ["/plan/mission/x", "/plan/geofence/1e3", "/executions/NaN", "/fly/-1"]) {
    await plan.page.goto(path);
    await shown(plan.page, "Page not found");
  }
  expect(asked).toContain("/fly/-1");
  expect(asked.filter((path) => /^\/api\b.*(mission|geofence|executions|drone)/.test(path))).toEqual([]);
});
