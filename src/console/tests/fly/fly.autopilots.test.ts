import type { Page } from "playwright-core";
import { autopilots, isPx4, isRover } from "../../../testing/autopilots/autopilot";
import { startVehicle, type TestedVehicle } from "../../../testing/autopilots/tested-vehicle";
import { startBrowser, type TestWindow } from "../browser";
import { consoleSettings, openAs } from "../console-world";
import { button, hold, order, reading } from "./fly-page";

jest.setTimeout(300_000);

/** The simulator flies three times as fast as life at most, beside a browser without a graphics card slower. */
const FLOWN = { timeout: 90_000 };

const flown = autopilots.filter((name) => !isRover(name));

// A file without a test is a failed one.
if (flown.length === 0) test("no copter is among the vehicles", () => {});

describe.each(flown)("%s", (name) => {
  let vehicle: TestedVehicle;
  let window: TestWindow;
  let page: Page;
  beforeAll(async () => {
    const env = await consoleSettings();
    vehicle = await startVehicle(name, { env });
    const browser = await startBrowser(env.PUBLIC_ORIGIN);
    window = await browser.newWindow();
    page = await openAs(vehicle, window, vehicle.owner, `/fly/${vehicle.droneId}`);
    await reading(page, "Link").filter({ hasText: "live" }).first().waitFor();
  });
  afterAll(() => vehicle?.stop());

  const height = async () => (await vehicle.witness.fresh()).relativeAltitude;

  async function setMode(mode: string): Promise<void> {
    await page.getByRole("combobox", { name: "Flight mode" }).selectOption(mode);
    await button(page, "Set").click();
    await order(page, `Mode ${mode} done`).waitFor(FLOWN);
  }

  test("a pilot arms, takes off, goes to a position, flies a mission, pauses and returns by the page", async () => {
    await setMode(isPx4(name) ? "AUTO.LOITER" : "GUIDED");
    await hold(button(page, /^Arm/));
    await order(page, "Arm done").waitFor(FLOWN);
    expect((await vehicle.witness.fresh()).armed).toBe(true);
    await button(page, /^Take off/).click();
    await page.getByLabel("Above home (m)").fill("12");
    await hold(button(page, "Hold to take off to 12.0 m"));
    await order(page, "Take off to 12.0 m done").waitFor(FLOWN);
    await vehicle.witness.until("that it is up", async () => (await height()) > 11, 60);
    await reading(page, "Above home")
      .filter({ hasText: /1[123]\.\d m/ })
      .waitFor();

    const from = await vehicle.witness.fresh();
    const map = page.getByRole("region", { name: "The drone with its track, home, mission and fence" });
    await map.click({ button: "right", position: { x: 220, y: 100 } });
    const lng = Number(await page.getByLabel("Longitude").inputValue());
    await hold(button(page, /^Hold to go there at 1[123]\.\d m/));
    await order(page, /^Go to a position at 1[123]\.\d m done/).waitFor(FLOWN);
    const isWest = async () => (await vehicle.witness.fresh()).lng < (from.lng + lng) / 2;
    await vehicle.witness.until("that it is west", isWest, 60);

    const { id } = (await vehicle.api.post("/mission", { name: "Field" })).body;
    const points = [60, 600].map((north) => ({
      ...{ lat: from.lat + north / 111_320, lng: from.lng, altitude: 20, type: "fly" },
    }));
    await vehicle.api.post(`/mission/${id}/points`, points);
    await button(page, "Mission").click();
    await button(page, /^Push/).click();
    await page.getByRole("combobox", { name: "Mission", exact: true }).selectOption({ label: "Field" });
    await hold(button(page, "Hold to push"));
    await order(page, "Push Field done").waitFor(FLOWN);
    await page.getByText("On board: Field").waitFor();
    await hold(button(page, /^Start/));
    await order(page, "Fly the mission done").waitFor(FLOWN);
    await reading(page, "Item")
      .filter({ hasText: /[23] of 3/ })
      .waitFor(FLOWN);

    await button(page, /^Pause/).click();
    await order(page, "Pause done").waitFor(FLOWN);
    await hold(button(page, /^Return/));
    await order(page, "Return done").waitFor(FLOWN);
    await vehicle.disarmed();
    await reading(page, "Motors").filter({ hasText: "Disarmed" }).waitFor();
    expect(window.faults).toEqual([]);
  });

  test("a refusal is shown in the vehicle's own words, and a silent vehicle looks silent until it is heard", async () => {
    const { lat, lng } = await vehicle.witness.fresh();
    const { id } = (await vehicle.api.post("/mission", { name: "Odd" })).body;
    const point = { lat, lng, altitude: 20, type: "fly" };
    await vehicle.api.post(`/mission/${id}/points`, [point, { ...point, command: 9_999 }]);
    await button(page, /^Push/).click();
    await page.getByRole("combobox", { name: "Mission", exact: true }).selectOption({ label: "Odd" });
    await hold(button(page, "Hold to push"));
    await order(page, /Push Odd refused.*command 9999 \(MAV_MISSION_\w+\)/).waitFor(FLOWN);

    const link = reading(page, "Link").first();
    vehicle.autopilot.stall(true);
    await link.filter({ hasText: /\d s ago/ }).waitFor(FLOWN);
    vehicle.autopilot.stall(false);
    await link.filter({ hasText: "live" }).waitFor(FLOWN);
    expect(window.faults).toEqual([]);
  });
});
