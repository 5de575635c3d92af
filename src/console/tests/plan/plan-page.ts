import type { Locator, Page } from "playwright-core";
import type { ApiClient } from "../../../testing/client";
import { eventually } from "../../../testing/until";
import type { TestUser } from "../../../testing/worlds/start-gateway";
import type { TestWindow } from "../browser";
import { type ConsoleWorld, signIn } from "../console-world";

/** Where the plans of these tests are. */
export const ORIGIN = { lat: 47.397742, lng: 8.545594 };

export const north = (metres: number) => ({ lat: ORIGIN.lat + metres / 111_320, lng: ORIGIN.lng });

/** Markup that would do something if it were taken for such. */
export const HOSTILE = '<img src=x onerror="document.title=1"><b>&amp;';

/** A waypoint so many metres north, as the API takes it. */
export const waypoint = (metres: number, change: object = {}) => ({
  ...north(metres),
  ...{ altitude: 30, type: "fly", command: 16 },
  ...change,
});

export async function storedMission(
  api: ApiClient,
  name: string,
  points: readonly object[],
): Promise<number> {
  const { id } = (await api.post("/mission", { name })).body;
  const { status, body } = await api.post(`/mission/${id}/points`, points);
  if (status !== 201) throw new Error(`No points were stored: ${JSON.stringify(body)}`);
  return id;
}

/** A plan's page, driven. */
export class PlanPage {
  constructor(readonly page: Page) {}

  /** Signs in at the address, and waits for the map. */
  static async open(window: TestWindow, user: TestUser, path: string): Promise<PlanPage> {
    const page = await window.newTab(path);
    await signIn(page, user);
    const opened = new PlanPage(page);
    await opened.ready();
    return opened;
  }

  ready = () => this.page.getByRole("button", { name: "Show all" }).waitFor();

  get canvas(): Locator {
    return this.page.locator(".map-canvas canvas");
  }
  get rows(): Locator {
    return this.page.locator(".row-list .row");
  }
  row = (place: number) => this.page.locator(`.row-list li[aria-posinset="${place}"] .row`);
  tab = (name: string) => this.page.getByRole("tab", { name }).click();
  button = (name: string) => this.page.getByRole("button", { name, exact: true });
  field = (name: string) => this.page.getByLabel(name, { exact: true });
  state = (state: "saved" | "changed" | "conflict") => this.page.locator(`.save-state.${state}`).waitFor();

  /** The window's pixel so many metres north and east of the only position with which the page began. */
  async pixel(northwards: number, eastwards: number): Promise<{ x: number; y: number }> {
    const box = await this.canvas.boundingBox();
    if (!box) throw new Error("There is no map.");
    return {
      x: box.x + box.width / 2 + eastwards / METRES_PER_PIXEL,
      y: box.y + box.height / 2 - northwards / METRES_PER_PIXEL,
    };
  }

  async tap(northwards: number, eastwards: number): Promise<void> {
    const { x, y } = await this.pixel(northwards, eastwards);
    await this.page.mouse.click(x, y);
  }

  /** Drags what is there, once the map draws it, to so many metres north and east. */
  async drag(from: readonly [number, number], to: readonly [number, number]): Promise<void> {
    const { mouse } = this.page;
    const [start, end] = [await this.pixel(...from), await this.pixel(...to)];
    await eventually("the map draws what is dragged", async () => {
      await mouse.move(start.x + 1, start.y);
      await mouse.move(start.x, start.y);
      return (await this.canvas.evaluate((canvas) => (canvas as HTMLElement).style.cursor)) === "pointer";
    });
    await mouse.down();
    await mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2);
    await mouse.move(end.x, end.y);
    await mouse.up();
  }
}

/** At the zoom to which a single position is fitted, 17, where the world is 512 · 2¹⁷ pixels wide. */
const METRES_PER_PIXEL = (40_075_016.7 * Math.cos((ORIGIN.lat * Math.PI) / 180)) / (512 * 2 ** 17);

/** A signed-in page of a mission with these points. */
export async function openMission(
  at: { readonly world: ConsoleWorld; readonly window: TestWindow },
  points: readonly object[],
  name = "Survey",
) {
  const user = await at.world.gateway.newUser();
  const id = await storedMission(user.api, name, points);
  const plan = await PlanPage.open(at.window, user, `/plan/mission/${id}`);
  const stored = async () => (await user.api.get(`/mission/${id}`)).body;
  return { user, id, plan, stored };
}
