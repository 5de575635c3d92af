import type { Locator, Page } from "playwright-core";
import type { ApiClient } from "../../../testing/client";
import { type SimulatedDrone, simulatedDrone } from "../../../testing/worlds/simulated-drone";
import type { TestVehicleOptions } from "../../../testing/worlds/simulator";
import type { TestUser } from "../../../testing/worlds/start-gateway";
import type { TestWindow } from "../browser";
import { type ConsoleWorld, openAs } from "../console-world";

/** Holds a button as a pilot does, until the page says that it acted: its fill is gone. */
export async function hold(button: Locator): Promise<void> {
  await button.and(button.page().locator('[aria-disabled="false"]')).hover();
  await button.page().mouse.down();
  await button.and(button.page().locator('[data-held="true"]')).waitFor();
  await button.page().locator('[data-held="true"]').waitFor({ state: "detached" });
  await button.page().mouse.up();
}

/** By its whole name, or a part of it. */
export const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: typeof name === "string" });

/** An order in the list, with what became of it. */
export const order = (page: Page, text: string | RegExp) =>
  page.getByRole("list", { name: "Orders" }).getByRole("listitem").filter({ hasText: text });

/** The value of an instrument. */
export const reading = (page: Page, label: string) =>
  page.locator(".reading").filter({ has: page.locator("dt", { hasText: new RegExp(`^${label}`) }) });

/** The page of the drone when the vehicle is heard, its user signed in. */
export async function flyPage(
  world: ConsoleWorld,
  window: Pick<TestWindow, "context" | "newTab">,
  user: TestUser,
  drone: Pick<SimulatedDrone, "id">,
): Promise<Page> {
  const page = await openAs(world, window, user, `/fly/${drone.id}`);
  await reading(page, "Link").filter({ hasText: "live" }).first().waitFor();
  return page;
}

/** The same in a tab that is open. */
export const flyIn = (world: ConsoleWorld, page: Page, user: TestUser, drone: Pick<SimulatedDrone, "id">) =>
  flyPage(
    world,
    { context: page.context(), newTab: (path) => page.goto(path).then(() => page) },
    user,
    drone,
  );

/** A simulated drone of this name. It stays armed on the ground, however long the browser takes. */
export async function namedDrone(
  api: ApiClient,
  name: string,
  options: Partial<TestVehicleOptions> = {},
): Promise<SimulatedDrone> {
  const drone = await simulatedDrone(api, { ...options, params: { DISARM_DELAY: 0, ...options.params } });
  await api.put(`/drone/${drone.id}`, { name });
  return drone;
}
