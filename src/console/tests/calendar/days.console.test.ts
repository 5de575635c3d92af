import type { Page } from "playwright-core";
import type { TestUser } from "../../../testing/worlds/start-gateway";
import { testLooks } from "../appearance";
import { openAs } from "../console-world";
import { calendarTests, closed, day, dialog, flights, NOW, panel, planner, ZURICH } from "./calendar-world";

const { at, calendarOf } = calendarTests();

test("the keyboard alone goes over the days and opens a flight", async () => {
  const { user, store } = await planner(at.world);
  await store("Survey", "2030-05-16T08:00:00Z");
  const page = await calendarOf(user);
  await day(page, "05-06").focus();
  const go = async (key: string, to: string) => {
    await page.keyboard.press(key);
    await page.locator(`td[aria-selected="true"][data-day="2030-${to}"]:focus`).waitFor();
  };
  await go("ArrowRight", "05-07");
  await go("ArrowUp", "04-30");
  await go("ArrowLeft", "04-29");
  await go("ArrowDown", "05-06");
  await go("End", "05-12");
  await go("Home", "05-06");
  await go("PageDown", "06-06");
  await go("PageUp", "05-06");
  await go("ArrowDown", "05-13");
  for (const to of ["05-14", "05-15", "05-16"]) await go("ArrowRight", to);
  expect(await page.locator('td[tabindex="0"]').count()).toBe(1);
  await page.getByRole("gridcell", { name: "Donnerstag, 16. Mai 2030, 1 flight." }).waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await dialog(page).getByRole("heading", { name: "Survey" }).waitFor();
  await page.keyboard.press("Escape");
  await closed(page);
  await page.locator(".entry:focus").waitFor();
});

test("weeks begin as the locale says, and a reload shows the same week", async () => {
  const { user } = await planner(at.world);
  const german = await calendarOf(user, ZURICH, "?view=week&day=2030-06-05");
  expect(await german.getByRole("columnheader").allTextContents()).toEqual([
    "Mo",
    "Di",
    "Mi",
    "Do",
    "Fr",
    "Sa",
    "So",
  ]);
  await german.getByRole("button", { name: "Week after" }).click();
  await german.getByRole("heading", { name: "10.06.2030 – 16.06.2030" }).waitFor();
  await german.reload();
  await german.getByRole("heading", { name: "10.06.2030 – 16.06.2030" }).waitFor();
  await german.getByRole("button", { name: "Today" }).click();
  await german.getByRole("heading", { name: "06.05.2030 – 12.05.2030" }).waitFor();
  const american = await calendarOf(user, { timezoneId: "America/New_York", locale: "en-US" });
  expect((await american.getByRole("columnheader").allTextContents())[0]).toBe("Sun");
});

describe("the looks", () => {
  let user: TestUser;
  beforeAll(async () => {
    const planned = await planner(at.world);
    user = planned.user;
    const recurrence_rule = "FREQ=WEEKLY;BYDAY=MO,WE,FR";
    await planned.store("Survey of the north field", "2030-05-01T08:00:00Z", { recurrence_rule });
    for (const [at, status] of ["completed", "failed", "cancelled", "in_progress", "scheduled"].entries())
      await planned.store(`Roof ${at}`, `2030-05-06T1${at}:00:00Z`, { status });
  });
  const open = async (page: Page) => {
    await page.clock.setFixedTime(NOW);
    const context = page.context();
    const reused = await openAs(at.world, { context, newTab: async () => page }, user, "");
    await reused.goto("/calendar");
    await flights(page).nth(5).waitFor();
  };

  testLooks(at, [
    ["calendar", "/billing", (page) => open(page)],
    [
      "calendar-form",
      "/billing",
      async (page) => {
        await open(page);
        await panel(page).getByRole("button", { name: "Plan a flight" }).click();
        await dialog(page).getByLabel("Repeats").selectOption("Weekly");
      },
    ],
    [
      "calendar-flight",
      "/billing",
      async (page) => {
        await open(page);
        await flights(page).first().getByRole("button").click();
        await dialog(page).waitFor();
      },
    ],
  ]);
});
