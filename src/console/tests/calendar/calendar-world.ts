import type { BrowserContextOptions, Page } from "playwright-core";
import { storeMission } from "../../../testing/worlds/plans";
import type { TestUser } from "../../../testing/worlds/start-gateway";
import type { TestWindow } from "../browser";
import { type ConsoleWorld, consoleTests, openAs, shown } from "../console-world";

/** The Monday that the browser's clock shows. */
export const NOW = "2030-05-06T06:30:00Z";
export const ZURICH = { timezoneId: "Europe/Zurich", locale: "de-CH" };
export const MARKUP = "<img src=x onerror=\"document.title='run'\"> {{1+1}}";

/** For the tests of one file; each opens calendars, whose pages must not have broken a rule. */
export function calendarTests() {
  const at = consoleTests();
  const windows: TestWindow[] = [];
  afterEach(async () => {
    for (const { faults, context } of windows.splice(0)) {
      expect(faults).toEqual([]);
      await context.close();
    }
  });
  /** The calendar of a user at `NOW`, in a window of its own with these options. */
  async function calendarOf(user: TestUser, options: BrowserContextOptions = ZURICH, query = "") {
    const window = await at.world.browser.newWindow(options);
    windows.push(window);
    await window.context.clock.setFixedTime(NOW);
    const page = await openAs(at.world, window, user, `/calendar${query}`);
    await shown(page, "Calendar");
    await page.locator('[role="grid"][aria-busy="false"]').waitFor();
    return page;
  }
  return { at, windows, calendarOf };
}

/** A user with a drone and a mission. `store` plans flights of both. */
export async function planner({ gateway }: ConsoleWorld) {
  const user = await gateway.newUser();
  const drone = await user.api.post("/drone", { type: "sitl", name: "Falcon", vehicle_type: "copter" });
  const mission = await storeMission(user.api, "North field");
  const ids = { drone_id: drone.body.id, mission_id: mission.id };
  const store = async (title: string, scheduled_time: string, more: object = {}) => {
    const reply = await user.api.post("/calendar/events", { ...ids, title, scheduled_time, ...more });
    expect([reply.status, reply.body]).toMatchObject([201, {}]);
    return reply.body.data;
  };
  return { user, store, ids };
}

export const listed = async ({ api }: TestUser, from = "2030-05-01", to = "2030-06-30") =>
  (await api.get(`/calendar/events?start=${from}&end=${to}`)).body.data;
export const panel = (page: Page) => page.getByRole("region").filter({ hasText: "Plan a flight" });
export const flights = (page: Page) => panel(page).getByRole("listitem");
export const dialog = (page: Page) => page.getByRole("dialog");
export const day = (page: Page, date: string) => page.locator(`td[data-day="2030-${date}"]`);
export const press = (page: Page, name: string) =>
  dialog(page).getByRole("button", { name, exact: true }).click();
export const closed = (page: Page) => dialog(page).waitFor({ state: "detached" });
