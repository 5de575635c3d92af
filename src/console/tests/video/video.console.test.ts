import type { Page } from "playwright-core";
import { freshJanus } from "../../../testing/fresh-servers";
import { eventually, until } from "../../../testing/until";
import type { TestUser } from "../../../testing/worlds/start-gateway";
import { testLooks } from "../appearance";
import { consoleTests, consoleWorld, openAs, shown, signIn } from "../console-world";
import { cameraOnBoard } from "./camera-on-board";

let janus: Awaited<ReturnType<typeof freshJanus>>;
const at = consoleTests(async () => {
  janus = await freshJanus();
  const { url, apiSecret, adminKey } = janus;
  return consoleWorld({ JANUS_URL: url, JANUS_API_SECRET: apiSecret, JANUS_ADMIN_KEY: adminKey });
});

interface Owned {
  readonly user: TestUser;
  readonly drone: { readonly id: number; readonly ip: string };
}

/** A drone with nothing on board. */
async function owned(): Promise<Owned> {
  const user = await at.world.gateway.newUser();
  const drone = { type: "sitl", name: "Copter", vehicle_type: "copter" };
  return { user, drone: (await user.api.post("/drone", drone)).body };
}

async function withCamera(): Promise<Owned> {
  const made = await owned();
  await cameraOnBoard(at.world.gateway, janus, made.drone);
  return made;
}

/** The drone's page, with its video in place of the map. */
async function flying({ user, drone }: Owned, view = "Video"): Promise<Page> {
  const page = await openAs(at.world, at.window, user, `/fly/${drone.id}`);
  await chooseView(page, view);
  return page;
}
const chooseView = (page: Page, view: string) =>
  page.getByRole("button", { name: view, exact: true }).click();

/** As a user does who comes back to the page. */
async function reload(page: Page): Promise<void> {
  await page.reload();
  await chooseView(page, "Video");
}

const startVideo = (page: Page) => page.getByRole("button", { name: "Start video" }).click();
const says = (page: Page, text: string | RegExp) =>
  page.getByText(text, { exact: true }).waitFor({ timeout: 30_000 });
const isLive = (page: Page) => says(page, "Live");

/** The picture that is shown, as its pixels' sum, and how many the browser has shown. */
const pictureOf = (page: Page) =>
  page.evaluate(() => {
    const video = document.querySelector("video") as HTMLVideoElement;
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    context.drawImage(video, 0, 0);
    const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
    const sum = pixels.reduce((all, value, index) => (all * 31 + value * (index + 1)) % 1_000_003, 7);
    return {
      sum,
      frames: video.getVideoPlaybackQuality().totalVideoFrames,
      size: [canvas.width, canvas.height],
    };
  });

/** Waits until the video has gone on by ten frames, of which the last is another picture. */
async function moves(page: Page): Promise<void> {
  // A browser draws no picture that is out of its window.
  await page.locator("video").scrollIntoViewIfNeeded();
  const before = await pictureOf(page);
  expect(before.size).toEqual([640, 360]);
  await page.waitForFunction(
    (frames) =>
      (document.querySelector("video") as HTMLVideoElement).getVideoPlaybackQuality().totalVideoFrames >
      frames,
    before.frames + 10,
  );
  // A busy browser counts frames before it shows them.
  await eventually("another picture", async () => (await pictureOf(page)).sum !== before.sum);
}

test("the camera is started and seen moving, then watched no more, and turned off", async () => {
  const page = await flying(await withCamera());
  await says(page, "Video is off");
  await startVideo(page);
  await isLive(page);
  await says(page, /^640 × 360, \d+ fps$/);
  await moves(page);
  await page.getByRole("button", { name: "Hide video" }).press("Enter");
  await says(page, "Video is off");
  // The keyboard goes on where it was.
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Start video");
  // The drone goes on sending: what is on is shown at once.
  await reload(page);
  await isLive(page);
  await moves(page);
  await page.getByRole("button", { name: "Camera off" }).click();
  await says(page, "Video is off");
  await reload(page);
  await says(page, "Video is off");
});

test("a drone on which nobody listens is said, and watched as soon as it sends", async () => {
  const made = await owned();
  const page = await flying(made);
  await startVideo(page);
  await says(page, "Waiting for the camera");
  await says(page, /No program on the drone listens/);
  await says(page, /^for \d+ s$/);
  await cameraOnBoard(at.world.gateway, janus, made.drone);
  await made.user.api.get(`/video_room/${made.drone.id}/start?update=true`);
  await isLive(page);
});

test("a media server that is gone is said with the age of the picture, and what comes back is shown", async () => {
  const page = await flying(await withCamera());
  await startVideo(page);
  await isLive(page);
  await janus.stop();
  await says(page, /^No picture for \d+ s$/);
  await says(page, /The media server cannot be reached/);
  janus = await freshJanus(janus.port);
  await isLive(page);
  await moves(page);
});

test("two tabs watch one camera, and both notice that it was turned off", async () => {
  const made = await withCamera();
  const first = await flying(made);
  await startVideo(first);
  await isLive(first);
  const second = await flying(made, "Map + video");
  await isLive(second);
  await Promise.all([moves(first), moves(second)]);
  await first.close();
  await moves(second);
  const third = await flying(made);
  await isLive(third);
  await third.getByRole("button", { name: "Camera off" }).click();
  await says(second, "No picture");
  await says(second, "Video is off");
  await says(second, /Start it first/);
});

test("a refusal is shown in the gateway's words, as text", async () => {
  const made = await owned();
  const page = await flying(made);
  await says(page, "Video is off");
  const error = "There is <img src=x onerror=alert(1)> no media server.";
  await page.route("**/video_room/**", (route) => route.fulfill({ status: 400, json: { error } }));
  await startVideo(page);
  await says(page, error);
  await reload(page);
  await says(page, error);
});

describe("the looks", () => {
  let made: Owned;
  beforeAll(async () => {
    made = await withCamera();
    const room = `/video_room/${made.drone.id}`;
    await made.user.api.get(`${room}/start`);
    await until(async () => (await made.user.api.post(`${room}/viewers`)).status === 201);
  });
  const look = async (page: Page) => {
    await signIn(page, made.user);
    await shown(page, "Fleet");
    await page.goto(`/fly/${made.drone.id}`);
    await chooseView(page, "Map + video");
    await isLive(page);
    await moves(page);
  };
  testLooks(at, [["video", "/", look]]);
});
