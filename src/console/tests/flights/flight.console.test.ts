import { createPublicKey } from "node:crypto";
import type { Download, Page } from "playwright-core";
import { verifyArchive } from "../../../features/executions";
import { micro, flight as straightLog } from "../../../testing/analysed-logs";
import { eventually } from "../../../testing/until";
import { type Flight, untilReported } from "../../../testing/worlds/flights";
import { sha256, upload } from "../../../testing/worlds/uploads";
import { testLooks } from "../appearance";
import { consoleTests, consoleWorld, shown, signIn } from "../console-world";
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
});

async function opened({ user, id }: Flight): Promise<Page> {
  const page = await at.window.newTab(`/executions/${id}`);
  await signIn(page, user);
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

const moment = (page: Page) => page.locator(".moment strong").textContent();
const altitude = (page: Page) => page.locator(".plot output").first().textContent();
const slider = (page: Page) => page.getByRole("slider", { name: "Time in the flight" });

async function contentOf(download: Download): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe("a flight over time", () => {
  test("has a slider, which moves plots and the drone on the map", async () => {
    const page = await openedTrack(flown);
    expect([await moment(page), await altitude(page)]).toEqual(["1:07", "0.0 m"]);
    await eventually("the drone is drawn", async () => (await mapPixels(page, DRONE)).length > 50);
    const landed = await middleOf(page, DRONE);
    await slider(page).fill("350");
    await eventually("the plots are there", async () => (await altitude(page)) === "20.0 m");
    await eventually(
      "the drone is farther north",
      async () => (await middleOf(page, DRONE)).y < landed.y - 20,
    );
    expect(await slider(page).getAttribute("aria-valuetext")).toMatch(/^0:3\d, RTL, 20\.0 m$/);
    const before = await moment(page);
    await slider(page).press("PageUp");
    expect(await moment(page)).not.toBe(before);
  });

  test("follows the pointer in the plots and on the map's track", async () => {
    const page = await openedTrack(flown);
    const plot = await page.locator(".u-over").first().boundingBox();
    if (!plot) throw new Error("There is no plot.");
    await page.mouse.move(plot.x + plot.width / 2, plot.y + plot.height / 2);
    await eventually("the middle of the flight", async () => /^0:3[234]$/.test((await moment(page)) ?? ""));
    await page.mouse.move(plot.x + plot.width / 2, plot.y + 400);
    expect(await moment(page)).toMatch(/^0:3[234]$/);
    const [farthest] = (await mapPixels(page, TRACK)).sort((a, b) => a.x - b.x);
    if (!farthest) throw new Error("There is no track on the map.");
    await page.mouse.move(farthest.x + 1, farthest.y);
    await eventually("the turning point", async () => /^0:2[2345]$/.test((await moment(page)) ?? ""));
  });

  test("is zoomed by a drag, and its messages lead to their times", async () => {
    const page = await openedTrack(flown);
    const times = () => page.locator(".mode-bar span").allInnerTexts();
    expect(await times()).toEqual(["GUIDED", "RTL"]);
    const plot = await page.locator(".u-over").first().boundingBox();
    if (!plot) throw new Error("There is no plot.");
    await page.mouse.move(plot.x + 5, plot.y + 20);
    await page.mouse.down();
    await page.mouse.move(plot.x + plot.width / 5, plot.y + 20, { steps: 4 });
    await page.mouse.up();
    await eventually("the part before the return is shown", async () => (await times()).join() === "GUIDED");
    await page.getByRole("button", { name: "Whole" }).click();
    await eventually("all is shown", async () => (await times()).length === 2);
    expect(await page.getByRole("button", { name: "Whole" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Mode RTL" }).click();
    await eventually("the cursor is there", async () => /^0:2[345]$/.test((await moment(page)) ?? ""));
  });

  test("is replayed, and shown in imperial units", async () => {
    const page = await openedTrack(flown);
    await page.getByRole("button", { name: "Imperial units" }).click();
    const play = page.getByRole("button", { name: "Play", exact: true });
    await play.click();
    await eventually("it is up", async () => /^6\d\.\d ft$/.test((await altitude(page)) ?? ""));
    await page.getByRole("button", { name: "Pause" }).click();
    const paused = await moment(page);
    await play.waitFor();
    expect(await moment(page)).toBe(paused);
  });
});

describe("a flight's files", () => {
  test("are pictures that are shown large, and a video that is played", async () => {
    const page = await opened(flown);
    const width = (selector: string) =>
      page.locator(selector).evaluate((image) => (image as HTMLImageElement).naturalWidth);
    await page.locator(".pictures img").scrollIntoViewIfNeeded();
    await eventually("the thumbnail is there", async () => (await width(".pictures img")) > 0);
    await page.getByRole("button", { name: "Open north.jpg" }).click();
    await eventually("the picture is there", async () => (await width(".picture img")) === 640);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Play dam.mp4" }).click();
    const played = () => page.locator("video").evaluate((video) => (video as HTMLVideoElement).currentTime);
    await eventually(
      "the video plays",
      async () => (await page.locator("video").count()) === 1 && (await played()) > 0,
    );
  });

  test("are downloaded as they were uploaded", async () => {
    const page = await opened(flown);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download 00000001.BIN" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("00000001.BIN");
    expect(sha256(await contentOf(download))).toBe(sha256(log));
    await shown(page, `Flight ${flown.id}`);
  });

  test("are in the archive, which is made on request and is signed", async () => {
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
});

describe("the figures", () => {
  test("say which log they are of, and that the log can be read again", async () => {
    const page = await opened(flown);
    await page.getByText("Figures and track are of the drone's own log, 00000001.BIN.").waitFor();
    const figure = (name: string) =>
      page.locator(".figures > div", { hasText: name }).locator("dd").textContent();
    expect([await figure("Flight time"), await figure("Distance"), await figure("Top speed")]).toEqual([
      "1:07",
      "144 m",
      "10.0 m/s",
    ]);
    const { db } = at.world.gateway.deps;
    const analysedAt = async (): Promise<number> =>
      (
        await db("flight_stats").where({ execution_id: flown.id }).first("analysed_at")
      ).analysed_at?.getTime() ?? 0;
    const before = await analysedAt();
    await page.getByRole("button", { name: "Analyse the log again" }).click();
    await eventually("it was analysed again", async () => (await analysedAt()) > before);
    await page.locator(".u-over").first().waitFor();
  });

  test("say that they are of the gateway's record, and of which flight of a log with several", async () => {
    const flight = await endedFlight(at.world.gateway, "Falcon", straightLog().bytes);
    const { db } = at.world.gateway.deps;
    const row = () => db("flight_stats").where({ execution_id: flight.id });
    await eventually("it is analysed", async () => (await row().first("status")).status === "ready");
    const { stats } = await row().first("stats");
    const several = {
      ...stats,
      flight_number: 2,
      flight_count: 3,
      flight_chosen_by: "time",
      complete: false,
    };
    await row().update({ recorded: true, error: "It is empty.", stats: JSON.stringify(several) });
    const page = await opened(flight);
    const said = page.locator(".log-state");
    await said.filter({ hasText: "of what the gateway recorded of the link" }).waitFor();
    expect(await said.textContent()).toContain("the drone's own log cannot be read (It is empty.)");
    expect(await said.textContent()).toContain(
      "The log has 3 flights. This is number 2, which took place at",
    );
    expect(await said.textContent()).toContain("The log is damaged.");
  });

  test("come without a reload when the log does, and a log that cannot be read is said so", async () => {
    const flight = await endedFlight(at.world.gateway, "Falcon");
    const page = await opened(flight);
    await page.getByText("The flight log has not come yet.").waitFor();
    await uploadLog(flight, Buffer.from("no log"), "notes.txt");
    await page.getByText("The flight log cannot be read:").waitFor();
    await page.getByRole("button", { name: "Analyse the log again" }).click();
    await page
      .getByRole("alert")
      .filter({ hasText: '"notes.txt" cannot be read as a flight log.' })
      .waitFor();
  });
});

test("a mailed report leads to its flight, and the report is mailed again from there", async () => {
  const { gateway } = at.world;
  const flight = await endedFlight(gateway, "Falcon", straightLog().bytes);
  await untilReported(flight, flight.id);
  const mail = gateway.mail.mails.findLast(({ to }) => to.includes(flight.user.username));
  const link = mail?.links.find((one) => one.startsWith(gateway.url));
  const page = await at.window.newTab(link ?? "/");
  expect(new URL(page.url()).pathname).toBe(`/executions/${flight.id}`);
  await signIn(page, flight.user);
  await shown(page, `Flight ${flight.id}`);
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
