import type { Page } from "playwright-core";
import { consoleTests, signIn } from "../console-world";
import { openMission, PlanPage, waypoint } from "./plan-page";

const at = consoleTests();

const setHeight = async (plan: PlanPage, place: number, metres: string) => {
  await plan.row(place).click();
  await plan.field("Height m").fill(metres);
  await plan.field("Height m").press("Enter");
  await plan.page.getByText(`${metres} m`, { exact: true }).first().waitFor();
};
const heights = (mission: { mission_points: { altitude: number }[] }) =>
  mission.mission_points.map(({ altitude }) => altitude);
/** The list says that a draft is kept. */
const draftIsKept = (page: Page) =>
  page.waitForFunction(() => Object.keys(localStorage).some((key) => key.startsWith("draft ")));

test("changes that are not saved outlive a reload and another page, and can be discarded", async () => {
  const { plan, stored } = await openMission(at, [waypoint(0), waypoint(40)]);
  const { page } = plan;
  await setHeight(plan, 2, "77");
  await plan.state("changed");
  await page.reload();
  await page.getByText(/were not saved/).waitFor();
  await page.getByText("77 m", { exact: true }).first().waitFor();
  await page.getByRole("link", { name: "All plans" }).click();
  await page.getByText("unsaved changes").waitFor();
  await page.getByRole("link", { name: "Survey" }).click();
  await page.getByText(/were not saved/).waitFor();
  await plan.button("Discard the changes").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Discard the changes" }).click();
  await plan.state("saved");
  await page.reload();
  await plan.ready();
  expect(await page.getByText(/were not saved/).count()).toBe(0);
  expect(heights(await stored())).toEqual([30, 30]);
});

test("changes outlive a session that has ended, and are the user's own", async () => {
  const { plan, user, id, stored } = await openMission(at, [waypoint(0), waypoint(40)]);
  const { page } = plan;
  await setHeight(plan, 1, "66");
  await draftIsKept(page);
  // The gateway refuses both tokens from now on.
  await page.route("**/api/v1/**", (route) =>
    route.fulfill({
      status: 401,
      contentType: "application/json",
      body: '{"error":"A valid token is required."}',
    }),
  );
  await plan.button("Save").click();
  await page.getByText("Your session has ended.").waitFor();
  await page.unroute("**/api/v1/**");
  const other = await at.world.gateway.newUser();
  await signIn(page, other);
  await page
    .getByRole("alert")
    .getByText(/no mission/i)
    .waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.goto(`/plan/mission/${id}`);
  await signIn(page, user);
  await page.getByText(/were not saved/).waitFor();
  await plan.button("Save").click();
  await plan.state("saved");
  expect(heights(await stored())).toEqual([66, 30]);
});

describe("a mission that was changed elsewhere since it was opened", () => {
  /** This tab's change is not saved, and another client has stored another one. */
  async function conflict() {
    const opened = await openMission(at, [waypoint(0), waypoint(40)]);
    const { plan, user, id } = opened;
    await setHeight(plan, 1, "66");
    await user.api.put(`/mission/${id}`, { name: "Theirs", mission_points: [waypoint(0, { altitude: 11 })] });
    await plan.button("Save").click();
    await plan.page.getByRole("dialog", { name: "Changed elsewhere" }).waitFor();
    expect(heights(await opened.stored())).toEqual([11]);
    return opened;
  }

  test("is not overwritten before the user says so", async () => {
    const { plan, stored } = await conflict();
    await plan.page.getByText("“Survey”, 2 rows").waitFor();
    await plan.page.getByText("“Theirs”, 1 row").waitFor();
    await plan.page.keyboard.press("Escape");
    await plan.page.getByText("Your changes are kept here and not saved.").waitFor();
    // A reload finds the conflict again.
    await plan.page.reload();
    await plan.button("Overwrite it with mine").click();
    await plan.state("saved");
    expect(await stored()).toMatchObject({
      name: "Survey",
      mission_points: [{ altitude: 66 }, { altitude: 30 }],
    });
  });

  test("is taken over, and undo brings one's own back", async () => {
    const { plan } = await conflict();
    await plan.button("Go on with the stored one").click();
    await plan.state("saved");
    expect(await plan.rows.count()).toBe(1);
    await plan.page.keyboard.press("Control+z");
    await plan.state("changed");
    await plan.page.getByText("66 m", { exact: true }).first().waitFor();
  });

  test("stays beside one's own, stored as a new mission", async () => {
    const { plan, user, stored } = await conflict();
    await plan.button("Save mine as a new plan").click();
    await plan.page.getByRole("heading", { level: 1, name: /^Survey \(copy of / }).waitFor();
    expect(heights(await stored())).toEqual([11]);
    const { body: missions } = await user.api.get("/missions");
    expect(missions.map(heights)).toEqual([[11], [66, 30]]);
  });
});

test("of two tabs each keeps its own draft, and one without changes shows what the other has saved", async () => {
  const { plan, user, id, stored } = await openMission(at, [waypoint(0), waypoint(40)]);
  const other = new PlanPage(await at.window.newTab(`/plan/mission/${id}`));
  await other.ready();
  const third = new PlanPage(await at.window.newTab(`/plan/mission/${id}`));
  await third.ready();
  await setHeight(plan, 1, "66");
  await setHeight(other, 2, "88");
  await draftIsKept(other.page);
  await other.page.reload();
  await other.page.getByText("88 m", { exact: true }).first().waitFor();
  expect(await other.page.getByText("66 m", { exact: true }).count()).toBe(0);
  await plan.button("Save").click();
  await plan.state("saved");
  await third.page.evaluate(() => dispatchEvent(new Event("focus")));
  await third.page.getByText("66 m", { exact: true }).first().waitFor();
  await other.button("Save").click();
  await other.page.getByRole("dialog", { name: "Changed elsewhere" }).waitFor();
  expect(heights(await stored())).toEqual([66, 30]);
  expect((await user.api.get("/missions")).body).toHaveLength(1);
});
