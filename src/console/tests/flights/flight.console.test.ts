import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { verifyArchive } from "../../../features/executions";
import { micro, flight as straightLog } from "../../../testing/analysed-logs";
import { eventually } from "../../../testing/until";
import { type Flight, untilReported } from "../../../testing/worlds/flights";
import { sha256, upload } from "../../../testing/worlds/uploads";
import { testLooks } from "../appearance";
import { consoleTests, consoleWorld, openAs, shown, signIn } from "../console-world";
import { mapPixels, middleOf } from "../map-pixels";
import { assetsOf, copterLog, endedFlight, HOSTILE, picture, uploadLog, video } from "./flight-records";

const at = consoleTests(() => consoleWorld({ WORKER_IN_PROCESS: "true" }));

/** The colours of the track and of the drone on the light map. */
const TRACK = "#0d7a4a";
const DRONE = "#0b5fff";

let log: Buffer;
/** With everything that a flight may have. Tests do not change it. */
let flown: Flight;
beforeAll(async () => {
  log = copterLog();
  flown = await endedFlight(at.world.gateway, "Falcon", log);
  const of = { execution_id: flown.id };
  await upload(flown.drone, { ...of, file_name: "north.jpg", asset_type: "image" }, await picture());
  await upload(flown.drone, { ...of, file_name: "dam.mp4", asset_type: "video" }, video());
  await eventually("the picture has a thumbnail and the video can be played", async () =>
    (await assetsOf(flown)).every(
      ({ asset_type, thumbnail_url, stream }: Record<string, unknown>) =>
        asset_type === "logs" || thumbnail_url || stream === "ready",
    ),
  );
}, 120_000);

async function opened({ user, id }: Flight): Promise<Page> {
  const page = await openAs(at.world, at.window, user, `/executions/${id}`);
  await shown(page, `Flight ${id}`);
  return page;
}

/** With its map and plots. */
async function openedTrack(flight: Flight): Promise<Page> {
  const page = await opened(flight);
  await page.getByRole("button", { name: "Show all" }).waitFor();
  await page.locator(".u-over").first().waitFor();
  return page;
}

const textOf = async (shown: Locator) => (await shown.allInnerTexts()).join();
const moment = (page: Page) => textOf(page.locator(".moment strong"));
const altitude = (page: Page) => textOf(page.locator(".plot output").first());
const slider = (page: Page) => page.getByRole("slider", { name: "Time in the flight" });

async function plotArea(page: Page) {
  const area = await page.locator(".u-over").first().boundingBox();
  if (!area) throw new Error("There is no plot.");
  return area;
}

test("slider, plots and the track on the map move each other's cursor", async () => {
  const page = await openedTrack(flown);
  expect([await moment(page), await altitude(page)]).toEqual(["1:07", "0.0 m"]);
  await eventually("the drone is drawn", async () => (await mapPixels(page, DRONE)).length > 50);
  const landed = await middleOf(page, DRONE);
  await slider(page).fill("300");
  await eventually("the plots are there", async () => (await altitude(page)) === "20.0 m");
  await eventually("the drone is farther north", async () => (await middleOf(page, DRONE)).y < landed.y - 20);
  expect(await slider(page).getAttribute("aria-valuetext")).toMatch(/^0:3\d, RTL, 20\.0 m$/);
  const before = await moment(page);
  await slider(page).press("PageUp");
  expect(await moment(page)).not.toBe(before);

  const plot = await plotArea(page);
  await page.mouse.move(plot.x + plot.width / 2, plot.y + plot.height / 2);
  await eventually("the middle of the flight", async () => /^0:3[234]$/.test(await moment(page)));
  await page.mouse.move(plot.x + plot.width / 2, plot.y - 60);
  expect(await moment(page)).toMatch(/^0:3[234]$/);
  const [farthest] = (await mapPixels(page, TRACK)).sort((a, b) => a.x - b.x);
  if (!farthest) throw new Error("There is no track on the map.");
  await page.mouse.move(farthest.x + 1, farthest.y);
  await eventually("the turning point", async () => /^0:2[2345]$/.test(await moment(page)));
});

test("the plots are zoomed, messages lead to their times, and the flight is replayed", async () => {
  const page = await openedTrack(flown);
  const modes = () => page.locator(".mode-bar span").allInnerTexts();
  expect(await modes()).toEqual(["GUIDED", "RTL"]);
  const plot = await plotArea(page);
  await page.mouse.move(plot.x + 5, plot.y + 20);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width / 5, plot.y + 20, { steps: 4 });
  await page.mouse.up();
  await eventually("the part before the return is shown", async () => (await modes()).join() === "GUIDED");
  const whole = page.getByRole("button", { name: "Whole" });
  await whole.click();
  await eventually("all is shown", async () => (await modes()).length === 2);
  expect(await whole.isDisabled()).toBe(true);

  await page.getByRole("button", { name: "Mode RTL" }).click();
  await eventually("the cursor is there", async () => /^0:2[345]$/.test(await moment(page)));
  await page.getByRole("button", { name: "Imperial units" }).click();
  await eventually("feet are shown", async () => /^6\d\.\d ft$/.test(await altitude(page)));
  const play = page.getByRole("button", { name: "Play", exact: true });
  await play.click();
  await eventually("it comes down", async () => /^[12]?\d\.\d ft$/.test(await altitude(page)));
  await page.getByRole("button", { name: "Pause" }).or(play).click();
});

test("pictures are shown, videos played, and files are downloaded as they were uploaded", async () => {
  const page = await opened(flown);
  const width = (selector: string) =>
    page.locator(selector).evaluate((image) => (image as HTMLImageElement).naturalWidth);
  await page.locator(".pictures img").scrollIntoViewIfNeeded();
  await eventually("the thumbnail is there", async () => (await width(".pictures img")) > 0);
  await page.getByRole("button", { name: "Open north.jpg" }).click();
  await page.locator(".picture img").waitFor();
  await eventually("the picture is there", async () => (await width(".picture img")) === 640);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Play dam.mp4" }).click();
  await page.locator("video").waitFor();
  const played = () => page.locator("video").evaluate((video) => (video as HTMLVideoElement).currentTime);
  await eventually("the video plays", async () => (await played()) > 0);

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download 00000001.BIN" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("00000001.BIN");
  expect(sha256(readFileSync(await download.path()))).toBe(sha256(log));
  await shown(page, `Flight ${flown.id}`);
});

test("the archive is made on request, and is signed by the key that the page names", async () => {
  const page = await opened(flown);
  await page.getByText(`npm run verify-archive -- FILE --key ${at.world.gateway.url}`).waitFor();
  await page.getByRole("button", { name: "Make the archive" }).click();
  const link = page.getByRole("link", { name: "Download the archive" });
  await link.waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
  const { body } = await at.world.gateway.api.get("/executions/archive-key");
  const { faults, manifest } = await verifyArchive(await download.path(), createPublicKey(body.public_key));
  expect([faults, manifest?.execution_id]).toEqual([[], flown.id]);
});

test("figures and track come without a reload when the log does, and the log is read again", async () => {
  const flight = await endedFlight(at.world.gateway, "Falcon");
  const page = await opened(flight);
  await page.getByText("The flight log has not come yet.").waitFor();
  await uploadLog(flight, log);
  await page.getByText("Figures and track are of the drone's own log, 00000001.BIN.").waitFor();
  await page.locator(".u-over").first().waitFor();
  const figure = (name: string) => textOf(page.locator(".figures > div", { hasText: name }).locator("dd"));
  expect([await figure("Flight time"), await figure("Distance"), await figure("Top speed")]).toEqual([
    "1:07",
    "144 m",
    "10.0 m/s",
  ]);
  await uploadLog(flight, Buffer.from("no log"), "notes.txt");
  await page.getByRole("button", { name: "Analyse the log again" }).click();
  await page.getByRole("alert").filter({ hasText: '"notes.txt" cannot be read as a flight log.' }).waitFor();
  await page.getByText("The flight log cannot be read:").waitFor();
});

test("a mailed report leads to its flight, which says what its figures are of and mails it again", async () => {
  const { gateway } = at.world;
  const flight = await endedFlight(gateway, "Falcon", straightLog().bytes);
  await untilReported(flight, flight.id);
  const row = () => gateway.deps.db("flight_stats").where({ execution_id: flight.id });
  const { stats } = await row().first("stats");
  const several = { ...stats, flight_number: 2, flight_count: 3, flight_chosen_by: "time", complete: false };
  await row().update({ recorded: true, error: "It is empty.", stats: JSON.stringify(several) });

  const mail = gateway.mail.mails.findLast(({ to }) => to.includes(flight.user.username));
  const link = mail?.links.find((one) => one.startsWith(gateway.url));
  const page = await at.window.newTab(link ?? "/");
  expect(new URL(page.url()).pathname).toBe(`/executions/${flight.id}`);
  await signIn(page, flight.user);
  await shown(page, `Flight ${flight.id}`);
  const said = page.locator(".log-state");
  await said.filter({ hasText: "of what the gateway recorded of the link" }).waitFor();
  expect(await textOf(said)).toContain("the drone's own log cannot be read (It is empty.)");
  expect(await textOf(said)).toContain("The log has 3 flights. This is number 2, which took place at");
  expect(await textOf(said)).toContain("The log is damaged.");

  await page.getByText("The report was sent").waitFor();
  await page.getByLabel("Email").fill("owner@example.com");
  await page.getByRole("button", { name: "Send the report" }).click();
  await page.getByRole("status").filter({ hasText: "The report was sent to owner@example.com." }).waitFor();
  expect(gateway.mail.mails.filter(({ to }) => to.includes("owner@example.com"))).toHaveLength(1);
});

test("a flight is deleted after a question, and markup in what it shows is text", async () => {
  const { gateway } = at.world;
  const hostileLog = straightLog().write("MSG", micro(131), HOSTILE).bytes;
  const flight = await endedFlight(gateway, HOSTILE, hostileLog);
  await gateway.deps
    .db("executions")
    .where({ id: flight.id })
    .update({ mission_name: HOSTILE, notes: HOSTILE });
  const image = { file_name: HOSTILE, asset_type: "image", execution_id: flight.id };
  await upload(flight.drone, image, await picture());
  const page = await openedTrack(flight);
  for (const where of [".facts strong", ".facts span", ".messages .words", ".files th", ".pictures .name"])
    await page.locator(where).filter({ hasText: HOSTILE }).waitFor();
  expect(await page.locator("main img[src=x], main b, main table b").count()).toBe(0);

  await page.getByRole("button", { name: "Delete this flight" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  expect((await flight.user.api.get(`/executions/${flight.id}`)).status).toBe(200);
  await page.getByRole("button", { name: "Delete this flight" }).click();
  await page.getByRole("button", { name: "Delete the flight" }).click();
  await shown(page, "Flights");
  await page.getByText("There are no flights yet.").waitFor();
  expect((await flight.user.api.get(`/executions/${flight.id}`)).status).toBe(404);
});

test("another user's flight does not exist, and leads back to one's own", async () => {
  const user = await at.world.gateway.newUser();
  const page = await opened({ ...flown, user });
  await page.getByRole("alert").filter({ hasText: "No such execution." }).waitFor();
  await page.getByRole("link", { name: "All flights" }).click();
  await shown(page, "Flights");
});

testLooks(at, [
  [
    "flight",
    "/sign-in",
    async (page) => {
      await signIn(page, flown.user);
      await shown(page, "Fleet");
      await page.goto(`/executions/${flown.id}`);
      await page.getByRole("button", { name: "Show all" }).waitFor();
      await page.locator(".u-over").first().waitFor();
      await slider(page).fill("300");
    },
  ],
]);
