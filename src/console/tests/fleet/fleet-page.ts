import type { Page } from "playwright-core";
import { saveSubscription } from "../../../features/billing";
import type { TestUser } from "../../../testing/worlds/start-gateway";
import { type ConsoleWorld, shown, signIn } from "../console-world";

export const HOSTILE = `<img src=x onerror="document.title='run'">`;

/** Lets the user have this many physical drones. */
export const subscribe = ({ gateway }: ConsoleWorld, user: TestUser, vehicle_count: number) =>
  saveSubscription(gateway.deps.db, user.id, { status: "active", vehicle_count });

/** The page, its user signed in. */
export async function openFleet(
  window: { newTab(path: string): Promise<Page> },
  user: TestUser,
): Promise<Page> {
  const page = await window.newTab("/");
  await signIn(page, user);
  await shown(page, "Fleet");
  return page;
}

export const row = (page: Page, name: string) => page.getByRole("option").filter({ hasText: name });
export const panel = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Waits until the row of this drone says the text. */
export const inRow = (page: Page, name: string, text: string | RegExp) =>
  row(page, name).filter({ hasText: text }).waitFor();

/** A drone that nothing answers for. */
export async function deadDrone(user: TestUser, name: string): Promise<number> {
  const input = { type: "sitl", name, vehicle_type: "copter", port: 9, link_host: "127.0.0.1" };
  return (await user.api.post("/drone", input)).body.id;
}

/** To 20 m. */
export async function takeOff({ api }: TestUser, drone_id: number): Promise<void> {
  for (const [order, fields] of [
    ["guided", {}],
    ["arm", {}],
    ["takeoff", { altitude: 20 }],
  ] as const) {
    const { status, body } = await api.post(`/drone/action/${order}`, { drone_id, ...fields });
    expect([order, status, body]).toEqual([order, 200, expect.anything()]);
  }
}
