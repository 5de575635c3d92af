import { monitorEventLoopDelay } from "node:perf_hooks";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { ZipFile } from "yazl";
import { insertMissions, storeMission } from "../../testing/worlds/plans";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";

const MiB = 2 ** 20;
/** A busy machine takes several times as long. */
const LONGEST_BLOCK_MS = 3_000;

let gateway: TestGateway;
let user: TestUser;
beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(async () => {
  user = await gateway.newUser();
});

/** The status and the parsed reply to bytes. */
async function post(path: string, body: Uint8Array | string, headers: Record<string, string> = {}) {
  const reply = await fetch(`${gateway.api.base}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.token}`, ...headers },
    body: typeof body === "string" ? body : new Uint8Array(body),
  });
  const parsed: ReturnType<typeof JSON.parse> = await reply.json();
  return { status: reply.status, body: parsed };
}

const count = async (table: string): Promise<number> =>
  (await gateway.deps.db(table).where({ user_id: user.id })).length;

const rowOf = (row: number) => `${row}\t0\t3\t16\t0\t0\t0\t0\t${47 + row / 1e5}\t${8 + row / 1e5}\t30.5\t1`;
const waypoints = (rows: number) =>
  `QGC WPL 110\r\n${Array.from({ length: rows + 1 }, (_, row) => rowOf(row)).join("\r\n")}\r\n`;

const kml = (placemarks: string) =>
  `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${placemarks}</Document></kml>`;

async function kmz(content: string): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(content), "doc.kml");
  zip.end();
  return buffer(zip.outputStream);
}

test("2,000 points are imported, and one more is refused", async () => {
  const { status, body } = await post("/missions/import?name=all", waypoints(2_000));
  expect([status, body.mission?.mission_points.length]).toEqual([201, 2_000]);
  expect(body.mission.mission_points.at(-1)).toMatchObject({ lat: 47.02, sequence: 2_000 });
  expect(await post("/missions/import?name=more", waypoints(2_001))).toEqual({
    status: 400,
    body: { error: "line 2003: the file has more than 2000 points" },
  });
  expect(await count("missions")).toBe(1);
});

test("a mission is imported from a KMZ, a compressed body and a text with a byte order mark", async () => {
  const placemark =
    "<Placemark><Point><altitudeMode>absolute</altitudeMode><coordinates>8,47,500</coordinates></Point></Placemark>";
  const files: [string, Uint8Array, Record<string, string>][] = [
    ["kmz", await kmz(kml(placemark)), { "content-type": "application/vnd.google-earth.kmz" }],
    ["gzip", gzipSync(waypoints(1)), { "content-encoding": "gzip" }],
    ["mark", Buffer.from(`\ufeff${waypoints(1)}`), {}],
  ];
  for (const [name, bytes, headers] of files) {
    const reply = await post(`/missions/import?name=${name}`, bytes, headers);
    expect(reply).toMatchObject({ status: 201, body: { mission: { name, mission_points: [{}] } } });
  }
});

test("the name of a file's document is the mission's, as far as it can be one", async () => {
  const named = (name: string) =>
    kml(
      `<name>${name}</name><Placemark><Point><altitudeMode>absolute</altitudeMode><coordinates>8,47,5</coordinates></Point></Placemark>`,
    );
  expect((await post("/missions/import", named("  Alp &amp; lake "))).body.mission.name).toBe("Alp & lake");
  expect((await post("/missions/import", named(" "))).body.mission.name).toBe("Imported mission");
  expect((await post("/missions/import", named("a".repeat(500)))).body.mission.name).toBe("a".repeat(195));
});

test("a label that is too long is cut, and half a character is replaced", async () => {
  const feature = (name: string) =>
    `{"type":"Feature","geometry":{"type":"Point","coordinates":[8,47,5]},"properties":{"name":"${name}"}}`;
  const features = [feature(`${"a".repeat(199)}💥`), feature("\\ud83d!")].join();
  const { body } = await post("/missions/import", `{"type":"FeatureCollection","features":[${features}]}`);
  const labels = body.mission.mission_points.map(({ label }: { label: string }) => label);
  expect(labels).toEqual([`${"a".repeat(199)}\ufffd`, "\ufffd!"]);
  expect(body.left_out).toMatchObject([{ at: "feature 1", what: "name" }]);
});

test("the limits of plans hold for imports, and nothing is stored beyond them", async () => {
  await insertMissions(gateway.deps.db, user.id, { plans: 10, pointsEach: 1_999 });
  const reply = await post("/missions/import", waypoints(11));
  expect(reply).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/20000 points together/) },
  });
  expect(await count("missions")).toBe(10);
  expect((await post("/missions/import", waypoints(10))).status).toBe(201);
  const other = await gateway.newUser();
  user = other;
  await insertMissions(gateway.deps.db, user.id, { plans: 1_000 });
  expect(await post("/missions/import", waypoints(1))).toMatchObject({
    ...{ status: 400, body: { error: expect.stringMatching(/1000 missions/) } },
  });
  expect(await count("missions")).toBe(1_000);
});

test("geofences of a file are stored up to the limit, all or none", async () => {
  const circle = (index: number) => ({
    type: "Feature",
    geometry: { type: "Point", coordinates: [8, 47 + index / 1e5] },
    properties: { radius: 5 },
  });
  const circles = (length: number) =>
    JSON.stringify({
      type: "FeatureCollection",
      features: Array.from({ length }, (_, index) => circle(index)),
    });
  const many = await post("/geofences/import?name=c", circles(1_001));
  expect(many).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^feature 1001: /) } });
  expect(await count("geofences")).toBe(0);
  const { body } = await post("/geofences/import?name=c", circles(1_000));
  expect(body.geofences).toHaveLength(1_000);
  expect(body.geofences[999]).toMatchObject({ name: "c 1000", geofence_points: [{ lat: 47.00999 }] });
  expect((await post("/geofences/import?name=d", circles(1))).status).toBe(400);
  expect(await count("geofences")).toBe(1_000);
});

test("a list of what was left out is cut, and says so", async () => {
  const polygon =
    "<Placemark><Polygon><outerBoundaryIs><LinearRing><coordinates>1,1 2,1 2,2</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>";
  const point =
    "<Placemark><Point><altitudeMode>absolute</altitudeMode><coordinates>8,47,500</coordinates></Point></Placemark>";
  const { body } = await post("/missions/import", kml(point + polygon.repeat(300)));
  expect(body.left_out).toHaveLength(201);
  expect(body.left_out[200]).toEqual({ at: "file", what: "100 further entries", why: "The list is cut." });
});

test("an export of a plan with characters that XML cannot have says that its label is not whole", async () => {
  const { id, points } = await storeMission(user.api, "bell");
  await user.api.patch(`/mission/point/${points[0]?.id}`, { label: "ring \u0007" });
  const reply = await user.api.get(`/mission/${id}/export?format=kml`);
  expect(reply.headers.get("x-left-out")).toBe("label");
  expect(reply.body).toContain("ring \ufffd");
});

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le");
const hostile: [string, () => string | Uint8Array | Promise<Buffer>, RegExp][] = [
  ["nothing", () => "", /empty/],
  [
    "random bytes",
    () => Buffer.from(Array.from({ length: 10_000 }, (_, at) => (at * 7_919 + 131) % 256)),
    /UTF-8/,
  ],
  ["UTF-16", () => utf16(waypoints(3)), /UTF-16/],
  ["half a character", () => Buffer.concat([Buffer.from(waypoints(1)), Buffer.from([0xc3])]), /not UTF-8/],
  ["bytes of zero", () => `QGC WPL 110\n\u0000`, /zero/],
  [
    "a billion laughs",
    () =>
      `<?xml version="1.0"?>\n<!DOCTYPE kml [<!ENTITY a "ha"><!ENTITY b "${"&a;".repeat(10)}">]>\n${kml("&b;")}`,
    /^line 2: a document type/,
  ],
  ["a zip bomb", async () => kmz(" ".repeat(50 * MiB)), /doc\.kml: is larger than/],
  ["brackets", () => `{"type":"Point","coordinates":${"[".repeat(MiB - 100)}`, /nested too deeply/],
  ["open elements", () => "<a>".repeat(MiB / 3 - 1), /^line 1: /],
  ["empty elements", () => kml("<a/>".repeat(250_000)), /too many elements/],
  ["less-than signs", () => "<".repeat(MiB), /too many elements/],
  ["open comments", () => `<kml>${"<!--".repeat(90_000)}`, /well-formed/],
  [
    "attributes",
    () => `<kml ${Array.from({ length: 90_000 }, (_, at) => `a${at}="1"`).join(" ")}/>`,
    /no waypoint/,
  ],
  ["spaces in a tag", () => `<kml${" ".repeat(MiB - 10)}`, /well-formed/],
  [
    "a quarter of a million positions",
    () =>
      kml(
        `<Placemark><LineString><coordinates>${"1,1 ".repeat(250_000)}</coordinates></LineString></Placemark>`,
      ),
    /^Placemark 1: has more than 2000 points/,
  ],
  [
    "ten million positions in a KMZ",
    async () =>
      kmz(
        kml(
          `<Placemark><LineString><coordinates>${"1,1 ".repeat(10_000_000)}</coordinates></LineString></Placemark>`,
        ),
      ),
    /larger than/,
  ],
  ["lines", () => `QGC WPL 110${"\n".repeat(MiB - 20)}`, /no waypoint/],
  ["a long line", () => `QGC WPL 110\n${"1 ".repeat(MiB / 2 - 10)}`, /^line 2: must have 12 columns/],
  ["types in a text", () => `{"a":"${'\\"type\\" : '.repeat(90_000)}"}`, /none of/],
  ["white space", () => `{${" ".repeat(MiB - 30)}"type" : "Point"}`, /position|array/],
  ["a document of the prototype", () => '{"__proto__":{"fileType":"Plan"}}', /none of/],
];

test.each(hostile)(
  "a file of %s is refused, stores nothing and blocks nobody for long",
  async (_what, make, words) => {
    const bytes = await make();
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const reply = await post("/missions/import?altitude=5", bytes, {
      "content-type": "application/octet-stream",
    });
    delay.disable();
    expect(reply).toMatchObject({ status: 400, body: { error: expect.stringMatching(words) } });
    expect(delay.max / 1e6).toBeLessThan(LONGEST_BLOCK_MS);
    expect(await count("missions")).toBe(0);
  },
);

test.each(["plan", "waypoints", "kml", "geojson"])(
  "a mission of 2,000 waypoints that was exported as %s can be imported",
  async (format) => {
    const { mission } = (await post("/missions/import?name=large", waypoints(2_000))).body;
    const { text } = await download(`/mission/${mission.id}/export?format=${format}`);
    expect(Buffer.byteLength(text)).toBeLessThan(MiB);
    const again = await post("/missions/import?name=again", text);
    expect(again.status).toBe(201);
    const positions = ({ mission_points }: { mission_points: Record<string, unknown>[] }) =>
      mission_points.map(({ id, mission_id, ...point }) => point);
    expect(positions(again.body.mission)).toEqual(positions(mission));
  },
);

async function download(path: string): Promise<{ text: string }> {
  const reply = await fetch(`${gateway.api.base}${path}`, {
    headers: { authorization: `Bearer ${user.token}` },
  });
  return { text: await reply.text() };
}
