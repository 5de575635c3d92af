import { LeftOutList, readGeofences, readMission } from ".";

const feature = (geometry: object | null, properties: object | null = {}) => ({
  type: "Feature",
  geometry,
  properties,
});
const point = (...coordinates: unknown[]) => ({ type: "Point", coordinates });
const file = (...features: object[]) =>
  Buffer.from(JSON.stringify({ type: "FeatureCollection", name: "Alp", features }));

async function read(bytes: Buffer, altitude?: number) {
  const leftOut = new LeftOutList();
  const { name, points } = await readMission(bytes, undefined, altitude, leftOut);
  return { name, points: points.map(({ point: one }) => one), leftOut: leftOut.list };
}
const refusal = (bytes: Buffer | string, altitude?: number) =>
  read(Buffer.from(bytes), altitude).then(
    () => "taken",
    ({ code, message }) => `${code} ${message}`,
  );

test("points and lines are waypoints above home; a position without a height gets the one that is given", async () => {
  const line = {
    type: "LineString",
    coordinates: [
      [8.1, 47.1, 40],
      [8.2, 47.2],
    ],
  };
  const { name, points } = await read(file(feature(point(8, 47, 30), { name: "A" }), feature(line)), 55.5);
  expect(name).toBe("Alp");
  expect(points.map(({ lat, lng, altitude, frame, label }) => [lat, lng, altitude, frame, label])).toEqual([
    [47, 8, 30, 3, "A"],
    [47.1, 8.1, 40, 3, null],
    [47.2, 8.2, 55.5, 3, null],
  ]);
  expect(await refusal(file(feature(line)))).toMatch(
    /^invalid_input feature 1, point 2: has no height; give one/,
  );
});

test("a single feature, a bare geometry and collections of geometries are taken", async () => {
  const files = [
    feature(point(8, 47, 30), null),
    point(8, 47, 30),
    { type: "MultiPoint", coordinates: [[8, 47, 30]] },
    { type: "GeometryCollection", geometries: [{ type: "MultiLineString", coordinates: [[[8, 47, 30]]] }] },
  ];
  for (const one of files)
    expect((await read(Buffer.from(JSON.stringify(one)))).points).toMatchObject([
      { lat: 47, lng: 8, altitude: 30 },
    ]);
});

test("properties of other programs are no columns of a waypoint", async () => {
  const { points } = await read(file(feature(point(8, 47, 30), { type: "peak", frame: "wood", param1: 9 })));
  expect(points).toMatchObject([{ type: "fly", frame: 3, param1: 0, command: 16 }]);
});

test("polygons and points with a radius are geofences", async () => {
  const ring = [
    [8, 47],
    [8.1, 47],
    [8.1, 47.1],
    [8, 47],
  ];
  const polygon = { type: "MultiPolygon", coordinates: [[ring, ring], [ring]] };
  const leftOut = new LeftOutList();
  const { geofences } = await readGeofences(
    file(
      feature(polygon, { fence_type: "inclusion" }),
      feature(point(8, 47), { radius: 20 }),
      feature(point(1, 1)),
    ),
    undefined,
    leftOut,
  );
  expect(
    geofences.map(({ type, fence_type, radius, points }) => [type, fence_type, radius, points.length]),
  ).toEqual([
    ["polygon", "inclusion", undefined, 3],
    ["polygon", "inclusion", undefined, 3],
    ["circle", undefined, 20, 1],
  ]);
  expect(leftOut.list.map(({ at, what }) => `${at} ${what}`)).toEqual([
    "feature 1 1 inner rings",
    "feature 3 Point",
  ]);
  const mistyped = readGeofences(file(feature(polygon, { fence_type: "inclusive" })), undefined, leftOut);
  await expect(mistyped).rejects.toMatchObject({
    message: expect.stringContaining("feature 1: fence_type must be"),
  });
});

test.each([
  ["a text for a number", file(feature(point("8", 47, 3))), "feature 1: a position must be"],
  ["more than a double", '{"type":"Point","coordinates":[8,47,1e999]}', "feature 1: a position must be"],
  ["NaN", '{"type":"Point","coordinates":[8,NaN,3]}', "not a JSON object"],
  ["one number", file(feature(point(8))), "feature 1: a position must be"],
  ["another geometry", file(feature({ type: "Curve", coordinates: [] })), "feature 1: type must be"],
  ["a feature that is none", file(feature(point(1, 2, 3)), [] as never), "feature 2: must be a JSON object"],
  ["no coordinates", file(feature({ type: "LineString" })), "feature 1: must have an array there"],
  ["no geometry", file(feature(null)), "file: has no waypoint"],
  [
    "another reference system",
    '{"type":"Point","crs":{"properties":{"name":"urn:ogc:def:crs:EPSG::3857"}}}',
    "crs: ",
  ],
  ["deep nesting", `{"type":"Point","coordinates":${"[".repeat(500_000)}`, "is nested too deeply"],
])("GeoJSON with %s is refused", async (_what, text, words) => {
  expect(await refusal(text)).toContain(words);
});

test("a line of too many points is refused", async () => {
  const line = { type: "LineString", coordinates: Array.from({ length: 2_001 }, () => [8, 47, 3]) };
  expect(await refusal(file(feature(line)))).toBe(
    "invalid_input feature 1: the mission has more than 2000 points",
  );
});
