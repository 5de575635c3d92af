import sharp from "sharp";
import { straightFlight } from "../../../testing/flight-logs";
import { until } from "../../../testing/until";
import { startFlight } from "../../../testing/worlds/flights";
import { startTestGateway, type TestGateway } from "../../../testing/worlds/start-gateway";
import { put, upload } from "../../../testing/worlds/uploads";
import { findExecution } from "../executions.store";
import { altitudePlot } from "./altitude-plot";
import { renderReport } from "./render";
import { clock, flatMetres, metres, roundBelow, roundTicks, timeTicks } from "./scale";
import { trackMap } from "./track-map";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ WORKER_IN_PROCESS: "true" });
});

const rendered = async (id: number) => {
  const execution = await findExecution(gateway.deps.db, id);
  if (!execution) throw new Error("There is no such execution.");
  return renderReport({ ...gateway.deps, origin: "https://fly.example.com" }, execution);
};

test("a report waits for the log's analysis, and shows figures, a map and a plot", async () => {
  const { user, drone, id } = await startFlight(gateway);
  const uploadRequest = { file_name: "00000001.BIN", asset_type: "logs", execution_id: id };
  const begun = (await drone.post("/authenticate_upload", uploadRequest)).body;
  await drone.post(`/executions/${id}/log`, { asset_id: begun.asset_id });
  await drone.post(`/executions/${id}/complete`, { status: "completed", notes: "A straight line." });
  expect((await user.api.get(`/executions/${id}`)).body.data.report).toBe("pending");
  await upload(drone, { ...uploadRequest, checksum: null }, straightFlight());
  await until(async () => (await user.api.get(`/executions/${id}`)).body.data.report === "sent");
  const { body } = await user.api.get(`/executions/${id}/flight-stats`);
  expect(body.data).toMatchObject({ status: "ready", stats: { format: "dataflash", duration_seconds: 100 } });
  const mail = gateway.mail.mails.find(({ to }) => to.includes(user.username));
  expect(mail?.text).toMatch(/Flight time: +1:40\nDistance: +1\.11 km\nHighest altitude: +30 m/);
  expect(mail?.text).toContain("A straight line.");
  expect(mail?.links.some((link) => link.includes("00000001.BIN") && link.includes("X-Amz-Signature"))).toBe(
    true,
  );
  const { html, inline } = await rendered(id);
  for (const picture of inline) expect(html).toContain(`cid:${picture.id}`);
  const sizes = await Promise.all(inline.map(async ({ content }) => (await sharp(content).metadata()).width));
  expect(inline.map(({ id }) => id)).toEqual(["track", "plot"]);
  expect(sizes).toEqual([1200, 1200]);
});

const photo = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#246" } })
    .jpeg()
    .toBuffer();

test("pictures are shown with their thumbnails; a picture without one is only listed", async () => {
  const { drone, id } = await startFlight(gateway);
  const bring = async (file_name: string, content: Buffer) =>
    (await upload(drone, { file_name, asset_type: "image", execution_id: id }, content)).asset_id;
  const good = await bring("good.jpg", await photo(1_200, 900));
  const broken = await bring("broken.jpg", Buffer.alloc(100));
  const assets = () => gateway.deps.db("assets").where({ execution_id: id });
  await until(async () => (await assets().where({ thumbnail: true })).length > 0);
  const early = await bring("early.jpg", await photo(64, 48));
  await until(async () => (await assets().where({ thumbnail: true })).length > 1);
  await assets().where({ id: early }).update({ thumbnail: false });
  const read = jest.spyOn(gateway.deps.store, "read");
  const { html, inline } = await rendered(id);
  expect(read).not.toHaveBeenCalled();
  read.mockRestore();
  expect(inline.map(({ fileName }) => fileName)).toEqual([`asset-${good}.jpg`]);
  expect(await sharp(inline[0]?.content).metadata()).toMatchObject({
    format: "jpeg",
    width: 480,
    height: 360,
  });
  expect(html).toContain(`cid:asset-${good}`);
  for (const asset of [broken, early]) expect(html).not.toContain(`cid:asset-${asset}`);
  expect(html).toContain("broken.jpg");
  expect(html).toContain("early.jpg");
});

test("the report that a picture's upload completes shows that picture", async () => {
  const { user, drone, id } = await startFlight(gateway);
  const picture = { file_name: "last.jpg", asset_type: "image", execution_id: id, checksum: null };
  const begun = (await drone.post("/authenticate_upload", picture)).body;
  await drone.post(`/executions/${id}/complete`, { status: "completed" });
  await put(begun.url, await photo(64, 48));
  await drone.post("/complete_upload", { asset_id: begun.asset_id });
  await until(async () => (await user.api.get(`/executions/${id}`)).body.data.report === "sent");
  const mail = gateway.mail.mails.find(({ to }) => to.includes(user.username));
  expect(mail?.html).toContain(`cid:asset-${begun.asset_id}`);
});

test("names that are markup are shown as text", async () => {
  const hostile = `<img src=x onerror="alert(1)"> & 'co'`;
  const { drone, id } = await startFlight(gateway, hostile);
  await drone.post(`/executions/${id}/complete`, { status: "error", notes: "</p><script>alert(2)</script>" });
  const { html, text, subject } = await rendered(id);
  expect(html).not.toMatch(/<script|<img src=x/);
  expect(html).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;co&#39;");
  expect(text).toContain(hostile);
  expect(subject).toContain(hostile);
});

test("a report names a log that cannot be read, and does not wait for it", async () => {
  const { user, drone, id } = await startFlight(gateway);
  const { asset_id } = await upload(drone, { file_name: "a.bin", asset_type: "logs" }, "this is no log");
  await drone.post(`/executions/${id}/log`, { asset_id });
  await drone.post(`/executions/${id}/complete`, { status: "aborted" });
  await until(async () => (await user.api.get(`/executions/${id}`)).body.data.report === "sent");
  expect((await rendered(id)).text).toContain("The flight log could not be read:");
});

test("the synchronous analysis answers the same statistics", async () => {
  const { user, drone, id } = await startFlight(gateway);
  await upload(drone, { file_name: "a.bin", asset_type: "logs", execution_id: id }, straightFlight());
  const { status, body } = await user.api.post(`/executions/${id}/analyze-log`);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { success: true, data: { status: "ready", stats: { duration_seconds: 100, max_altitude_m: 30 } } },
  });
});

test.each([
  [
    "a hover in one place",
    [
      { lat: 47, lng: 8 },
      { lat: 47, lng: 8 },
    ],
  ],
  [
    "a way across the 180th meridian",
    [
      { lat: 10, lng: 179.9999 },
      { lat: 10, lng: -179.9999 },
    ],
  ],
  [
    "a way to the pole",
    [
      { lat: 89.999, lng: 0 },
      { lat: 90, lng: 0 },
    ],
  ],
])("%s can be drawn", async (_what, track) => {
  const svg = trackMap(track, []);
  expect(svg).not.toMatch(/NaN|Infinity/);
  expect((await sharp(Buffer.from(svg)).metadata()).height).toBe(860);
});

test("the map's bar is a round length, and a flight that ends where it began shows both ends", () => {
  const there = { lat: 47.0009, lng: 8.0004 };
  const svg = trackMap([{ lat: 47, lng: 8 }, there, { lat: 47.000003, lng: 8 }], []);
  expect(svg).toMatch(/>[125]0*(\.0)? m</);
  const half = (shape: RegExp) => Number(shape.exec(svg)?.[1]);
  expect(half(/<rect x="[\d.]+" y="[\d.]+" width="(\d+)"/) / 2).toBeGreaterThan(
    half(/<circle [^>]*r="(\d+)"/),
  );
});

test("a plot leaves out unknown values, and shows altitudes below zero", () => {
  const unknown = { altitude_m: null, speed_ms: null, battery_v: null };
  const svg = altitudePlot([
    { seconds: 0, altitude_m: 0, speed_ms: 1, battery_v: null },
    { seconds: 1, ...unknown },
    { seconds: 2, altitude_m: -12, speed_ms: 2, battery_v: null },
  ]);
  expect(svg).not.toMatch(/NaN|null/);
  expect(svg).toContain(">-15<");
  expect(
    altitudePlot([
      { seconds: 0, ...unknown },
      { seconds: 1, ...unknown },
    ]),
  ).not.toMatch(/NaN|null/);
});

test("scales are round, times are a clock's, and metres are flat both sides of the meridian", () => {
  expect(roundTicks(0, 31, 5)).toEqual([0, 10, 20, 30, 40]);
  expect(roundTicks(-0.3, 0.4, 5)).toEqual([-0.4, -0.2, 0, 0.2, 0.4]);
  expect([32, 20, 9.9, 0.7, 1_000].map(roundBelow)).toEqual([20, 20, 5, 0.5, 1_000]);
  expect(timeTicks(197, 6)).toEqual([0, 60, 120, 180]);
  expect([clock(59.6), clock(197), clock(3_725)]).toEqual(["1:00", "3:17", "1:02:05"]);
  expect([metres(3.14), metres(301.4), metres(1413), metres(25_300)]).toEqual([
    "3.1 m",
    "301 m",
    "1.41 km",
    "25.3 km",
  ]);
  const east = flatMetres({ lat: 0, lng: 179.999 }, { lat: 0, lng: -179.999 }).east;
  expect(east).toBeCloseTo(222.64, 1);
});
