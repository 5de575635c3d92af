import { LeftOutList, readGeofences, readMission } from ".";

const simple = (doJumpId: number, command: number, params: (number | null)[], changes: object = {}) => ({
  ...{ AMSLAltAboveTerrain: null, Altitude: params[6], AltitudeMode: 1, autoContinue: true },
  ...{ command, doJumpId, frame: 3, params, type: "SimpleItem" },
  ...changes,
});
const waypoint = (doJumpId: number, lat: number, changes: object = {}) =>
  simple(doJumpId, 16, [0, 0, 0, null, lat, 8.5, 30], changes);

const survey = (type: string, items: object[]) => ({
  TransectStyleComplexItem: {
    CameraCalc: {
      CameraName: "Manual (no camera specs)",
      DistanceMode: 1,
      DistanceToSurface: 50,
      version: 2,
    },
    ...{ CameraShots: 4, CameraTriggerInTurnAround: true, HoverAndCapture: false, Refly90Degrees: false },
    Items: items,
    ...{ TurnAroundDistance: 10, version: 2 },
    VisualTransectPoints: [
      [47.2, 8.5],
      [47.21, 8.5],
    ],
  },
  ...{ angle: 0, complexItemType: type, entryLocation: 0, flyAlternateTransects: false },
  ...{
    polygon: [
      [47.2, 8.5],
      [47.21, 8.5],
      [47.21, 8.51],
    ],
    type: "ComplexItem",
    version: 5,
  },
});

const planOf = (items: object[], changes: object = {}, rest: object = {}) =>
  Buffer.from(
    JSON.stringify(
      {
        fileType: "Plan",
        geoFence: { circles: [], polygons: [], version: 2 },
        groundStation: "QGroundControl",
        mission: {
          ...{ cruiseSpeed: 15, firmwareType: 3, globalPlanAltitudeMode: 1, hoverSpeed: 5, items },
          ...{ plannedHomePosition: [47.1, 8.5, 488], vehicleType: 2, version: 2 },
          ...changes,
        },
        rallyPoints: { points: [], version: 2 },
        version: 1,
        ...rest,
      },
      null,
      4,
    ),
  );

const takeoff = simple(1, 22, [15, 0, 0, null, 47.1, 8.5, 20]);

async function read(file: Buffer) {
  const leftOut = new LeftOutList();
  const { points } = await readMission(file, undefined, undefined, leftOut);
  return { points: points.map(({ point }) => point), ats: points.map(({ at }) => at), leftOut: leftOut.list };
}
const refusal = (file: Buffer) =>
  read(file).then(
    () => "taken",
    ({ code, message }) => `${code} ${message}`,
  );

test("simple items come in order with their frames; a yaw that is not set stays so, and home is no point", async () => {
  const { points, leftOut } = await read(
    planOf([
      takeoff,
      waypoint(2, 47.2),
      waypoint(3, 47.3, { frame: 0, autoContinue: false }),
      waypoint(4, 47.4, { frame: 10 }),
    ]),
  );
  const plain = {
    param1: 0,
    param2: 0,
    param3: 0,
    param4: null,
    lng: 8.5,
    type: "fly",
    label: null,
    is_current: false,
  };
  expect(points).toEqual([
    { ...plain, command: 22, frame: 3, param1: 15, lat: 47.1, altitude: 20, autocontinue: true },
    { ...plain, command: 16, frame: 3, lat: 47.2, altitude: 30, autocontinue: true },
    { ...plain, command: 16, frame: 0, lat: 47.3, altitude: 30, autocontinue: false },
    { ...plain, command: 16, frame: 10, lat: 47.4, altitude: 30, autocontinue: true },
  ]);
  expect(leftOut.map(({ what }) => what)).toEqual(["plannedHomePosition", "cruiseSpeed", "hoverSpeed"]);
});

test("a survey and a corridor come in by the waypoints that stand in the file", async () => {
  const nested = [
    waypoint(2, 47.21),
    simple(3, 206, [25, 0, 1, 0, 0, 0, 0], { frame: 2 }),
    waypoint(4, 47.22),
  ];
  const { points, ats, leftOut } = await read(
    planOf([takeoff, survey("survey", nested), survey("CorridorScan", [waypoint(5, 47.3)])]),
  );
  expect(points.map(({ command, lat }) => [command, lat])).toEqual([
    ...[
      [22, 47.1],
      [16, 47.21],
      [206, 0],
      [16, 47.22],
    ],
    [16, 47.3],
  ]);
  expect(points[2]).toMatchObject({ frame: 2, param1: 25, param3: 1 });
  expect(ats[3]).toBe("item 2, waypoint 3");
  expect(leftOut.slice(3)).toEqual([
    { at: "item 2", what: "survey settings", why: expect.any(String) },
    { at: "item 3", what: "CorridorScan settings", why: expect.any(String) },
  ]);
});

test("a structure scan has no waypoints in the file, which the list says", async () => {
  const scan = { type: "ComplexItem", complexItemType: "StructureScan", Layers: 2, polygon: [], version: 3 };
  const { points, leftOut } = await read(planOf([takeoff, scan, waypoint(30, 47.2)]));
  expect(points).toHaveLength(2);
  expect(leftOut.at(-1)).toEqual({
    at: "item 2",
    what: "StructureScan",
    why: "The file has its settings and no waypoints. The mission flies without it.",
  });
  expect(await refusal(planOf([takeoff, scan, simple(30, 177, [2, 3, 0, 0, 0, 0, 0], { frame: 2 })]))).toBe(
    "invalid_input item 3: DO_JUMP goes to 2, which no waypoint of the file is",
  );
});

test("a survey whose waypoints were not saved is listed as one that is not flown", async () => {
  const { points, leftOut } = await read(planOf([takeoff, survey("survey", [])]));
  expect(points).toHaveLength(1);
  expect(leftOut.at(-1)).toMatchObject({
    at: "item 2",
    what: "survey",
    why: expect.stringContaining("without it"),
  });
});

test("a jump leads to the item that it led to, beyond a survey and by the numbers of another program", async () => {
  const jump = (doJumpId: number, to: number) => simple(doJumpId, 177, [to, 3, 0, 0, 0, 0, 0], { frame: 2 });
  const nested = [waypoint(3, 47.21), waypoint(4, 47.22)];
  const own = await read(
    planOf([takeoff, waypoint(2, 47.2), survey("survey", nested), waypoint(5, 47.5), jump(6, 5), jump(7, 3)]),
  );
  expect(own.points.slice(5).map(({ param1, param2 }) => [param1, param2])).toEqual([
    [5, 3],
    [3, 3],
  ]);
  // Place 5 of the mission is the waypoint at 47.5, and place 3 the first of the survey.
  expect([own.points[4]?.lat, own.points[2]?.lat]).toEqual([47.5, 47.21]);
  const other = await read(planOf([{ ...takeoff, doJumpId: 70 }, waypoint(10, 47.2), jump(5, 70)]));
  expect(other.points[2]?.param1).toBe(1);
  expect(await refusal(planOf([takeoff, waypoint(2, 47.2), waypoint(2, 47.3), jump(4, 2)]))).toBe(
    "invalid_input item 4: DO_JUMP goes to 2, which several items are",
  );
  expect(await refusal(planOf([takeoff, jump(2, 0)]))).toContain("item 2: DO_JUMP goes to 0");
});

test("a parameter that is not set is stored as 0, and listed where it means something", async () => {
  const { points, leftOut } = await read(
    planOf([
      simple(1, 22, [null, 0, 0, null, null, null, 20]),
      simple(2, 530, [0, 2, null, null, null, null, null], { frame: 2 }),
      simple(3, 31, [1, null, 0, 1, 47.2, 8.5, 40]),
    ]),
  );
  expect(points[0]).toMatchObject({ param1: 0, lat: 0, lng: 0, altitude: 20 });
  expect(points[1]).toMatchObject({ param2: 2, param3: 0, param4: null, lat: 0, lng: 0, altitude: 0 });
  expect(leftOut.slice(3).map(({ at, what }) => `${at} ${what}`)).toEqual([
    ...["item 1 param1", "item 1 param5", "item 1 param6"],
    "item 3 param2",
  ]);
});

test("of an item without a position the fifth and sixth parameter are kept as they are on the wire", async () => {
  const { points } = await read(planOf([takeoff, simple(2, 205, [0, 0, 0, 0, 90, -3, 2], { frame: 2 })]));
  expect(points[1]).toMatchObject({ lat: 90e-7, lng: -3e-7, altitude: 2 });
});

test("rally points and geofences beside a mission are listed", async () => {
  const polygon = {
    inclusion: true,
    polygon: [
      [1, 2],
      [1, 3],
      [2, 3],
    ],
    version: 1,
  };
  const rest = {
    geoFence: { circles: [], polygons: [polygon], version: 2 },
    rallyPoints: { points: [[1, 2, 3]], version: 2 },
  };
  const { leftOut } = await read(planOf([takeoff], {}, rest));
  expect(leftOut.map(({ at, what }) => `${at} ${what}`)).toEqual(
    expect.arrayContaining(["rallyPoints 1 rally points", "geoFence geofences"]),
  );
});

test("an item that does not fit is named", async () => {
  const faults: [object, string][] = [
    [{ ...takeoff, params: [1, 2] }, "item 2: params: must have at least 7 items"],
    [{ ...takeoff, command: "22" }, "item 2: command: must be a number"],
    [{ ...takeoff, frame: undefined }, "item 2: frame: is required"],
    [simple(2, 16, [0, 0, 0, null, null, 8, 30]), "item 2: the waypoint has no position"],
  ];
  for (const [item, words] of faults) expect(await refusal(planOf([takeoff, item]))).toContain(words);
  const many = Array.from({ length: 2_001 }, (_, index) => waypoint(index + 1, 47));
  expect(
    await refusal(planOf(many.map(({ command, frame, params }) => ({ command, frame, params })))),
  ).toContain("item 2001: the mission has more than 2000 points");
});

test("polygons and circles of a geofence are a geofence each, with their flag", async () => {
  const geoFence = {
    breachReturn: [47, 8, 50],
    polygons: [
      {
        inclusion: true,
        polygon: [
          [47.1, 8.1],
          [47.1, 8.2],
          [47.2, 8.2],
        ],
        version: 1,
      },
    ],
    circles: [{ circle: { center: [47.15, 8.15], radius: 25.5 }, inclusion: false, version: 1 }],
    version: 2,
  };
  const leftOut = new LeftOutList();
  const { geofences } = await readGeofences(planOf([], {}, { geoFence }), "plan", leftOut);
  expect(geofences).toEqual([
    {
      ...{ at: "polygon 1", type: "polygon", fence_type: "inclusion" },
      points: [
        [47.1, 8.1],
        [47.1, 8.2],
        [47.2, 8.2],
      ].map(([lat, lng]) => ({ lat, lng, frame: 3 })),
    },
    {
      ...{ at: "circle 1", type: "circle", fence_type: "exclusion", radius: 25.5 },
      points: [{ lat: 47.15, lng: 8.15, frame: 3 }],
    },
  ]);
  expect(leftOut.list.map(({ what }) => what)).toEqual(["breachReturn"]);
});
