import { LeftOutList, readGeofences, readMission } from ".";

const HOME = "0\t1\t0\t16\t0\t0\t0\t0\t47.3977420\t8.5455940\t488.000000\t1";
const TAKEOFF = "1\t0\t3\t22\t0.00000000\t0.00000000\t0.00000000\t0.00000000\t0\t0\t20.000000\t1";
const WAYPOINT = "2\t0\t3\t16\t5.0\t0\t0\t0\t47.39800000\t8.54600000\t30.000000\t1";
const file = (...lines: string[]) => Buffer.from(`QGC WPL 110\r\n${lines.join("\r\n")}\r\n`);

async function read(bytes: Buffer) {
  const leftOut = new LeftOutList();
  const { points } = await readMission(bytes, "waypoints", undefined, leftOut);
  return { points: points.map(({ point }) => point), leftOut: leftOut.list };
}
const refusal = (bytes: Buffer) =>
  read(bytes).then(
    () => "taken",
    ({ code, message }) => `${code} ${message}`,
  );

const plain = { param1: 0, param2: 0, param3: 0, param4: 0, type: "fly", label: null, autocontinue: true };

test("rows come in order without home, between tabs or spaces, with the current one", async () => {
  const spaced = "3  1  10  16 0 0 0 90   47.4 8.6 35.5  0";
  const { points, leftOut } = await read(file(HOME, TAKEOFF, WAYPOINT, "", "# a comment", spaced));
  expect(points).toEqual([
    { ...plain, command: 22, frame: 3, lat: 0, lng: 0, altitude: 20, is_current: false },
    { ...plain, command: 16, frame: 3, param1: 5, lat: 47.398, lng: 8.546, altitude: 30, is_current: false },
    {
      ...plain,
      ...{ command: 16, frame: 10, param4: 90, lat: 47.4, lng: 8.6, altitude: 35.5 },
      ...{ is_current: true, autocontinue: false },
    },
  ]);
  expect(leftOut).toEqual([{ at: "line 2", what: "home", why: expect.any(String) }]);
});

test("a jump counts home as row 0, and a row that is left out moves those behind it", async () => {
  const rally = "3\t0\t3\t5100\t0\t0\t0\t0\t47.4\t8.5\t30\t1";
  const target = "4\t0\t3\t16\t0\t0\t0\t0\t47.5\t8.5\t30\t1";
  const jump = "5\t0\t3\t177\t4\t2\t0\t0\t0\t0\t0\t1";
  const { points, leftOut } = await read(file(HOME, TAKEOFF, WAYPOINT, rally, target, jump));
  expect(points[3]).toMatchObject({ command: 177, param1: 3, param2: 2 });
  expect(points[2]?.lat).toBe(47.5);
  expect(leftOut[1]).toMatchObject({ at: "line 5", what: "command 5100" });
  expect(await refusal(file(HOME, TAKEOFF, WAYPOINT, rally, "4 0 3 177 3 1 0 0 0 0 0 1"))).toBe(
    "invalid_input line 6: DO_JUMP goes to 3, which no waypoint of the file is",
  );
});

test("a camera's order has numbers where others have a position", async () => {
  const shoot = "3\t0\t3\t203\t0\t0\t0\t0\t1\t0\t0\t1";
  const { points } = await read(file(HOME, TAKEOFF, WAYPOINT, shoot));
  expect(points[2]).toMatchObject({ command: 203, lat: 1e-7, lng: 0 });
});

test("a value that is not set is null where it is a yaw", async () => {
  const { points, leftOut } = await read(file(HOME, TAKEOFF, "2 0 3 16 nan 0 0 NaN 47 8 30 1"));
  expect(points[1]).toMatchObject({ param1: 0, param4: null });
  expect(leftOut[1]).toMatchObject({ at: "line 4", what: "param1" });
});

test.each([
  ["another version", Buffer.from("QGC WPL 120\n"), "line 1: must be QGC WPL 110"],
  ["a column too few", file(HOME, "1\t0\t3\t22\t0\t0\t0\t0\t0\t0\t20"), "line 3: must have 12 columns"],
  ["a column too many", file(HOME, `${TAKEOFF}\t1`), "line 3: must have 12 columns"],
  ["a text", file(HOME, TAKEOFF.replace("20.000000", "high")), "line 3: column 11 is not a number"],
  ["infinity", file(HOME, TAKEOFF.replace("20.000000", "Infinity")), "line 3: column 11 is not a number"],
  [
    "more than a double",
    file(HOME, TAKEOFF.replace("20.000000", "1e999")),
    "line 3: column 11 is not a number",
  ],
  [
    "a hexadecimal number",
    file(HOME, TAKEOFF.replace("20.000000", "0x10")),
    "line 3: column 11 is not a number",
  ],
  ["no home", file(TAKEOFF, WAYPOINT), "line 2: must be row 0"],
  ["a gap", file(HOME, WAYPOINT), "line 3: must be row 1"],
  [
    "a waypoint without a position",
    file(HOME, "1 0 3 16 0 0 0 0 nan 8 30 1"),
    "line 3: the waypoint has no position",
  ],
  ["home alone", file(HOME), "file: has no waypoint"],
])("a file with %s is refused with its line", async (_what, bytes, words) => {
  expect(await refusal(bytes)).toContain(`invalid_input ${words}`);
});

test("fences are read by their commands, polygons by the number of their vertices", async () => {
  const vertex = (row: number, command: number, first: number, lat: number) =>
    `${row}\t0\t3\t${command}\t${first}\t0\t0\t0\t${lat}\t8.5\t0\t1`;
  const rows = [
    ...[47.1, 47.2, 47.3].map((lat, index) => vertex(index + 1, 5001, 3, lat)),
    ...[47.4, 47.5, 47.6, 47.7].map((lat, index) => vertex(index + 4, 5002, 4, lat)),
    vertex(8, 5003, 120.5, 47.8),
    vertex(9, 5004, 30, 47.9),
    vertex(10, 5000, 0, 47),
  ];
  const leftOut = new LeftOutList();
  const { geofences } = await readGeofences(file(HOME, ...rows), undefined, leftOut);
  expect(
    geofences.map(({ type, fence_type, radius, points }) => [type, fence_type, radius, points.length]),
  ).toEqual([
    ["polygon", "inclusion", undefined, 3],
    ["polygon", "exclusion", undefined, 4],
    ["circle", "inclusion", 120.5, 1],
    ["circle", "exclusion", 30, 1],
  ]);
  expect(geofences[1]?.points[3]).toEqual({ lat: 47.7, lng: 8.5, frame: 3 });
  expect(leftOut.list.map(({ at, what }) => `${at} ${what}`)).toEqual([
    "line 2 home",
    "line 12 command 5000",
  ]);
  const short = readGeofences(file(HOME, ...rows.slice(0, 2)), undefined, new LeftOutList());
  await expect(short).rejects.toMatchObject({
    message: expect.stringMatching(/^line 3: the polygon of line 3/),
  });
});
