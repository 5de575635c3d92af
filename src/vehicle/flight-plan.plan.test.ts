import { plainWaypoint } from "../testing/worlds/plans";
import { type FencePoint, type Geofence, toFence, toFlightPlan, type Waypoint } from "./flight-plan.plan";

const waypoint = (changes: Partial<Waypoint> = {}): Waypoint => ({
  lat: 47.1,
  lng: 8.5,
  altitude: 20,
  type: "fly",
  sequence: 1,
  label: null,
  ...plainWaypoint,
  ...changes,
});

const point = (changes: Partial<FencePoint> = {}): FencePoint => ({
  lat: 47.1,
  lng: 8.5,
  sequence: 1,
  frame: 3,
  command: 0,
  param1: 0,
  param2: 0,
  param3: 0,
  param4: 0,
  ...changes,
});

const fence = (changes: Partial<Geofence>): Geofence => ({
  type: "polygon",
  fence_type: "inclusion",
  enabled: true,
  geofence_points: [
    point({ sequence: 1 }),
    point({ sequence: 2, lat: 47.2 }),
    point({ sequence: 3, lng: 8.6 }),
  ],
  ...changes,
});

describe("a flight plan", () => {
  test("begins with a takeoff at the first waypoint's position, height and frame when it has none", () => {
    const first = waypoint({ altitude: 35, frame: 0, param1: 5, is_current: true });
    expect(toFlightPlan([first], "copter")).toEqual([
      {
        command: 22,
        frame: 0,
        is_current: false,
        autocontinue: true,
        param1: 0,
        param2: 0,
        param3: 0,
        param4: Number.NaN,
        x_lat: 47.1,
        y_long: 8.5,
        z_alt: 35,
      },
      expect.objectContaining({ command: 16, param1: 5, is_current: true, z_alt: 35 }),
    ]);
  });

  test("climbs to the first position in the air, not to a ground point or an item without a position", () => {
    const base = waypoint({ sequence: 1, type: "base", altitude: 0 });
    const speed = waypoint({ sequence: 2, command: 178, lat: 0, lng: 0, altitude: 0 });
    const aloft = waypoint({ sequence: 3, lat: 47.3, altitude: 25 });
    const plan = toFlightPlan([aloft, base, speed], "copter");
    expect(plan.map(({ command }) => command)).toEqual([22, 16, 178, 16]);
    expect(plan[0]).toMatchObject({ x_lat: 47.3, z_alt: 25 });
  });

  test("that never leaves the ground has no takeoff height, and is refused", () => {
    expect(() => toFlightPlan([waypoint({ altitude: 0 }), waypoint({ command: 21 })], "copter")).toThrow(
      /how high to take off/,
    );
    expect(toFlightPlan([waypoint({ altitude: 0 })], "rover")).toHaveLength(1);
  });

  test("that begins with a takeoff gets no second one, wherever another may stand", () => {
    const rows = [waypoint({ sequence: 2 }), waypoint({ sequence: 1, command: 22 })];
    expect(toFlightPlan(rows, "copter").map(({ command }) => command)).toEqual([22, 16]);
    const late = [waypoint({ sequence: 1 }), waypoint({ sequence: 2, command: 22 })];
    expect(toFlightPlan(late, "copter").map(({ command }) => command)).toEqual([22, 16, 22]);
  });

  test("of a rover has no takeoff", () => {
    expect(toFlightPlan([waypoint()], "rover").map(({ command }) => command)).toEqual([16]);
  });

  test("keeps the sequence of its points and adds no return", () => {
    const rows = [7, 3, 5].map((sequence) => waypoint({ sequence, altitude: sequence }));
    expect(toFlightPlan(rows, "rover").map(({ z_alt }) => z_alt)).toEqual([3, 5, 7]);
    expect(rows.map(({ sequence }) => sequence)).toEqual([7, 3, 5]);
  });

  test("names its rows, and leaves to the vehicle a yaw that is null", () => {
    const [added, stored] = toFlightPlan([waypoint({ sequence: 4, param4: null })], "copter");
    expect(added?.row).toBeUndefined();
    expect(stored).toMatchObject({ row: { sequence: 4 }, param4: Number.NaN });
  });

  test("leads its jumps to the same rows behind a takeoff that is added", () => {
    const rows = [
      waypoint({ sequence: 10 }),
      waypoint({ sequence: 20, command: 177, param1: 1, param2: 3 }),
      waypoint({ sequence: 30, command: 177, param1: 3 }),
    ];
    expect(toFlightPlan(rows, "copter").map(({ param1 }) => param1)).toEqual([0, 0, 2, 4]);
    expect(toFlightPlan(rows, "rover").map(({ param1 }) => param1)).toEqual([0, 1, 3]);
  });

  test.each([0, 3, 1.5, -1])("with a jump to %p is refused, and the row is named", (param1) => {
    const rows = [waypoint({ sequence: 1 }), waypoint({ sequence: 7, command: 177, param1 })];
    expect(() => toFlightPlan(rows, "copter")).toThrow(
      `row 7: DO_JUMP leads to ${param1}, which is no place of the mission`,
    );
  });

  test("without waypoints is empty", () => {
    expect(toFlightPlan([], "copter")).toEqual([]);
  });
});

describe("a fence", () => {
  test.each([
    ["polygon", "inclusion", 5001],
    ["polygon", "exclusion", 5002],
    ["circle", "inclusion", 5003],
    ["circle", "exclusion", 5004],
  ] as const)("of a %s for %s has command %i", (type, fence_type, command) => {
    const points = type === "circle" ? [point({ param1: 50, command: 9 })] : fence({}).geofence_points;
    const items = toFence([fence({ type, fence_type, geofence_points: points })]);
    expect(new Set(items.map((item) => item.command))).toEqual(new Set([command]));
  });

  test("carries the vertex count or the radius, in sequence, on the ground", () => {
    const unordered = [...fence({}).geofence_points].reverse();
    const polygon = toFence([fence({ geofence_points: unordered })]);
    expect(polygon.map(({ param1, x_lat, y_long, z_alt }) => [param1, x_lat, y_long, z_alt])).toEqual([
      [3, 47.1, 8.5, 0],
      [3, 47.2, 8.5, 0],
      [3, 47.1, 8.6, 0],
    ]);
    const circle = toFence([fence({ type: "circle", geofence_points: [point({ param1: 62.5 })] })]);
    expect(circle).toMatchObject([{ param1: 62.5, z_alt: 0 }]);
  });

  test("is made of every geofence that is switched on", () => {
    const off = fence({ enabled: false });
    const circle = fence({ type: "circle", geofence_points: [point({ param1: 5 })] });
    expect(toFence([fence({}), off, circle])).toHaveLength(4);
  });

  test.each([
    ["a polygon of two vertices", fence({ geofence_points: [point(), point()] })],
    ["a circle of no radius", fence({ type: "circle", geofence_points: [point({ param1: 0 })] })],
    ["a circle of a negative radius", fence({ type: "circle", geofence_points: [point({ param1: -3 })] })],
    ["a circle without a centre", fence({ type: "circle", geofence_points: [] })],
  ])("refuses %s", (_name, bad) => {
    expect(() => toFence([bad])).toThrow(expect.objectContaining({ code: "invalid_input" }));
  });
});
