import type { Page } from "playwright-core";
import { autopilots, isPx4, isRover } from "../../../testing/autopilots/autopilot";
import { startVehicle, stayArmed, type TestedVehicle } from "../../../testing/autopilots/tested-vehicle";
import { startBrowser, type TestWindow } from "../browser";
import { consoleSettings, openAs } from "../console-world";
import { button, hold, order, reading } from "./fly-page";

jest.setTimeout(300_000);

/** The simulator flies three times as fast as life at most, beside a browser without a graphics card slower. */
const FLOWN = { timeout: 90_000 };

const flown = autopilots.filter((name) => !isRover(name));

describe.each(flown)("%s", (name) => {
  let vehicle: TestedVehicle;
  let window: TestWindow;
  let page: Page;
  beforeAll(async () => {
    const env = await consoleSettings();
    vehicle = await startVehicle(name, { env });
    await stayArmed(vehicle);
    const browser = await startBrowser(env.PUBLIC_ORIGIN);
    window = await browser.newWindow();
    page = await openAs(vehicle, window, vehicle.owner, `/fly/${vehicle.droneId}`);
    await reading(page, "Link").filter({ hasText: "live" }).first().waitFor();
    await button(page, "Mission").click();
  });
  afterAll(() => vehicle?.stop());

  /** Waits until the page's list shows that the order was carried out. */
  const done = (title: string | RegExp) =>
    order(page, title)
      .waitFor(FLOWN)
      .catch(async (error: Error) => {
        throw new Error(`${error.message}\nThe page shows: ${await order(page, "").allInnerTexts()}`);
      });
  const height = async () => (await vehicle.witness.fresh()).relativeAltitude;

  async function pushMission(name: string, points: readonly object[]): Promise<void> {
    const { id } = (await vehicle.api.post("/mission", { name })).body;
    await vehicle.api.post(`/mission/${id}/points`, points);
    await button(page, /^Push/).click();
    await page.getByRole("combobox", { name: "Mission", exact: true }).selectOption({ label: name });
    await hold(button(page, "Hold to push"));
  }

  async function setMode(mode: string): Promise<void> {
    await page.getByRole("combobox", { name: "Flight mode" }).selectOption(mode);
    await button(page, "Set").click();
    await done(`Mode ${mode} done`);
  }

  test("a pilot arms, flies a mission, pauses, goes to a position and lands by the page", async () => {
    const from = await vehicle.witness.fresh();
    await pushMission(
      "Field",
      [60, 600].map((north) => ({
        lat: from.lat + north / 111_320,
        lng: from.lng,
        altitude: 20,
        type: "fly",
      })),
    );
    await done("Push Field done");
    await page.getByText("On board: Field").waitFor();

    await setMode(isPx4(name) ? "AUTO.LOITER" : "GUIDED");
    await hold(button(page, /^Arm/));
    await done("Arm done");
    expect((await vehicle.witness.fresh()).armed).toBe(true);
    await hold(button(page, /^Start/));
    await done("Fly the mission done");
    await vehicle.witness.until("that it is up", async () => (await height()) > 18, 60);
    await reading(page, "Above home")
      .filter({ hasText: /[12]\d\.\d m/ })
      .waitFor();
    await reading(page, "Item")
      .filter({ hasText: /[23] of 3/ })
      .waitFor(FLOWN);
    await button(page, /^Pause/).click();
    await done("Pause done");

    const before = await vehicle.witness.fresh();
    const map = page.getByRole("region", { name: "The drone with its track, home, mission and fence" });
    await map.click({ button: "right", position: { x: 220, y: 100 } });
    const lng = Number(await page.getByLabel("Longitude").inputValue());
    await hold(button(page, /^Hold to go there at/));
    await done(/^Go to a position at .* done/);
    const isWest = async () => (await vehicle.witness.fresh()).lng < (before.lng + lng) / 2;
    await vehicle.witness.until("that it is west", isWest, 60);

    await hold(button(page, /^Land/));
    await done("Land done");
    await vehicle.disarmed();
    await reading(page, "Motors").filter({ hasText: "Disarmed" }).waitFor();
    expect(window.faults).toEqual([]);
  });

  test("a refusal is shown in the vehicle's own words, and a silent vehicle looks silent until it is heard", async () => {
    const { lat, lng } = await vehicle.witness.fresh();
    const point = { lat, lng, altitude: 20, type: "fly" };
    await pushMission("Odd", [point, { ...point, command: 9_999 }]);
    await done(/Push Odd refused.*command 9999 \(MAV_MISSION_\w+\)/);

    const link = reading(page, "Link").first();
    vehicle.autopilot.stall(true);
    await link.filter({ hasText: /\d s ago/ }).waitFor(FLOWN);
    vehicle.autopilot.stall(false);
    await link.filter({ hasText: "live" }).waitFor(FLOWN);
    expect(window.faults).toEqual([]);
  });
});
