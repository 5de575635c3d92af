import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import type { SimulatedDrone } from "../../../testing/worlds/simulated-drone";
import { paramText, readParamFile, writeParamFile } from "../../pages/fly/params/param-file";
import { testLooks } from "../appearance";
import { consoleTests } from "../console-world";
import { button, flyIn, flyPage, namedDrone, order } from "./fly-page";

const at = consoleTests();

describe("parameters", () => {
  let drone: SimulatedDrone;
  let page: Page;
  beforeEach(async () => {
    const user = await at.world.gateway.newUser();
    drone = await namedDrone(user.api, "Heron", { params: { FENCE_RADIUS: 150 } });
    page = await flyPage(at.world, at.window, user, drone);
    await button(page, "Parameters").click();
    await button(page, "Read from the vehicle").click();
    await page.getByText(/^\d{3} parameters$/).waitFor();
  });

  const field = (name: string) => page.getByLabel(name, { exact: true });
  const load = (name: string, text: string) =>
    page.getByLabel("Load file").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

  test("are searched, changed, marked and written, each read back; those that are refused stay marked", async () => {
    await page.getByLabel("Search").fill("fence_r");
    await page.getByText("1 parameter", { exact: true }).waitFor();
    expect(await field("FENCE_RADIUS").inputValue()).toBe("150");
    await field("FENCE_RADIUS").fill("a lot");
    await page.locator(".param-row.invalid").waitFor();
    expect(await button(page, /^Write/).getAttribute("aria-disabled")).toBe("true");
    await field("FENCE_RADIUS").fill("80.5");
    await page.getByText("was 150").waitFor();
    await page.getByLabel("Search").fill("FENCE_ACTION");
    await field("FENCE_ACTION").fill("2");
    await page.getByLabel("Search").fill("");
    await page.getByLabel("Changed only").check();
    await page.getByText("2 parameters", { exact: true }).waitFor();
    await button(page, "Undo FENCE_ACTION").click();
    await page.getByText("1 parameter", { exact: true }).waitFor();
    await button(page, "Write 1 change").click();
    await order(page, "Set FENCE_RADIUS done").waitFor();
    expect(drone.vehicle.param("FENCE_RADIUS")).toBe(80.5);
    await page.getByText("0 parameters").waitFor();

    await page.getByLabel("Changed only").uncheck();
    await page.getByLabel("Search").fill("FENCE_");
    await field("FENCE_ACTION").fill("1.5");
    await field("FENCE_RADIUS").fill("70");
    await button(page, "Write 2 changes").click();
    await order(page, /Set 2 parameters refused.*FENCE_ACTION/).waitFor();
    await page.locator(".param-row.changed").first().waitFor();
    expect(await field("FENCE_ACTION").inputValue()).toBe("1.5");
    expect(drone.vehicle.param("FENCE_ACTION")).not.toBe(1.5);
  });

  test("come from files of QGroundControl and Mission Planner, and go to a file", async () => {
    await load(
      "<b>survey</b>.params",
      "# Onboard parameters for Vehicle 1\r\n#\r\n1\t1\tFENCE_RADIUS\t90.000000000000000000\t9\r\n1\t1\tNO_SUCH\t1\t6\r\n",
    );
    await page
      .getByText("<b>survey</b>.params has 1 parameters of this vehicle. The vehicle does not have NO_SUCH.")
      .waitFor();
    await page.getByText("was 150").waitFor();
    await load("survey.param", "FENCE_RADIUS,60\nFENCE_ACTION,2\nnonsense\n");
    await page.getByText("survey.param has 2 parameters of this vehicle. Not read: line 3.").waitFor();
    await button(page, "Write 2 changes").click();
    await order(page, "Set 2 parameters done").waitFor();
    expect([drone.vehicle.param("FENCE_RADIUS"), drone.vehicle.param("FENCE_ACTION")]).toEqual([60, 2]);

    const download = page.waitForEvent("download");
    await button(page, "Save file").click();
    const file = await download;
    expect(file.suggestedFilename()).toBe("Heron.param");
    const { params, unread } = readParamFile(readFileSync(await file.path(), "utf8"));
    expect(unread).toEqual([]);
    expect(params.size).toBeGreaterThan(100);
    expect(params.get("FENCE_RADIUS")).toBe(60);
  });
});

describe("a file", () => {
  test.each([
    ["QGroundControl's", "# Vehicle-Id Component-Id Name Value Type\n1\t1\tA_B\t-0.5\t9\n1 1 C2 3 6\n"],
    ["Mission Planner's", "\uFEFFA_B,-0.5\r\nC2,3\r\n"],
    ["with spaces", "A_B   -0.5 # comment\n\nC2\t3\n"],
  ])("%s has its parameters", (_what, text) => {
    expect([...readParamFile(text).params]).toEqual([
      ["A_B", -0.5],
      ["C2", 3],
    ]);
    expect(readParamFile(text).unread).toEqual([]);
  });

  test("with other lines names them", () => {
    const text = "A,1\nB\nC,x\n<i>,1\nTOO_LONG_FOR_A_NAME,1\nD,Infinity\n";
    const { params, unread } = readParamFile(text);
    expect([...params]).toEqual([["A", 1]]);
    expect(unread.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6]);
  });

  test("is written with the shortest numbers that the vehicle stores as the same", () => {
    const values = [0.1, 1 / 3, -2, 16_777_217, 1e-7, 123_456.789].map((value) =>
      Number.isInteger(value) ? value : Math.fround(value),
    );
    expect(values.map(paramText)).toEqual(["0.1", "0.33333334", "-2", "16777217", "1e-7", "123456.79"]);
    const written = writeParamFile(values.map((value, at) => [`P${at}`, value]));
    const read = [...readParamFile(written).params.values()];
    expect(read.map(Math.fround)).toEqual(values.map(Math.fround));
  });
});

testLooks(at, [
  [
    "fly-params",
    "/sign-in",
    async (shown) => {
      const user = await at.world.gateway.newUser();
      const own = await namedDrone(user.api, "Heron");
      await flyIn(at.world, shown, user, own);
      await button(shown, "Parameters").click();
      await button(shown, "Read from the vehicle").click();
      await shown
        .getByLabel("ACRO_THR_MID", { exact: true })
        .or(shown.locator(".param-row input"))
        .first()
        .fill("1.25");
      await shown.getByText(/^was/).waitFor();
    },
  ],
]);
