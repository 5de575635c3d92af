import fc from "fast-check";
import { LeftOutList, readGeofences, readMission, writeGeofence, writeMission } from ".";
import type { Waypoint } from "./plan-file";

const FORMATS = ["plan", "waypoints", "kml", "geojson"] as const;
const SEED = 20_240_611;

const float = (min: number, max: number) =>
  fc.oneof(
    fc.double({ min, max, noNaN: true }).map((value) => value + 0),
    fc.integer({ min, max }),
  );
const degrees = (most: number) => fc.integer({ min: -most * 1e7, max: most * 1e7 }).map((e7) => e7 / 1e7 + 0);
const label = fc.oneof(
  fc.constantFrom(
    null,
    "",
    " ",
    'a <b> & "c"',
    "]]>",
    "&amp;",
    "  two  ",
    "tab\tline\nend",
    "💥 ü",
    "0x10",
    "1e5",
    "null",
    "bell \u0007",
  ),
  fc.string({ unit: "grapheme", maxLength: 40 }),
);

/** Waypoints that are not jumps; 203 and frame 2 have numbers in place of a position. */
const point: fc.Arbitrary<Waypoint> = fc.record({
  ...{ lat: degrees(90), lng: degrees(180), altitude: float(-500, 9_000) },
  frame: fc.constantFrom(0, 2, 3, 10),
  command: fc.constantFrom(16, 18, 19, 20, 21, 22, 82, 112, 178, 203, 206, 2000),
  ...{ param1: float(-1e6, 1e6), param2: float(-1e6, 1e6), param3: float(-1e6, 1e6) },
  param4: fc.option(float(-360, 360)),
  type: fc.constantFrom("base", "fly", "safepoint"),
  label,
  ...{ is_current: fc.boolean(), autocontinue: fc.boolean() },
});

const mission = fc
  .tuple(fc.array(point, { minLength: 1, maxLength: 12 }), fc.nat())
  .map(([points, seed]) => {
    const jump = { ...points[0], command: 177, frame: 2, param1: 1 + (seed % points.length), label: null };
    return [...points, jump as Waypoint];
  })
  .map((points) => ({
    ...{ id: 1, name: "A & B" },
    mission_points: points.map((one, index) => ({ ...one, id: index, mission_id: 1, sequence: index })),
  }));

/** What is read in place of a field that a format leaves out. */
const LOST: Readonly<Record<string, unknown>> = { type: "fly", label: null, is_current: false };

test.each(FORMATS)(
  "a mission that was written as %s is read again, but for the fields that it says it left out",
  async (format) => {
    await fc.assert(
      fc.asyncProperty(mission, async (written) => {
        const { text, leftOut } = writeMission(written, format);
        const read = await readMission(Buffer.from(text), format, undefined, new LeftOutList());
        const lost = Object.fromEntries(leftOut.map((field) => [field, LOST[field]]));
        expect(read.points.map(({ point: one }) => ({ ...one, ...lost }))).toEqual(
          written.mission_points.map(({ id, mission_id, sequence, ...one }) => ({ ...one, ...lost })),
        );
        expect(read.name).toBe(format === "kml" || format === "geojson" ? "A & B" : undefined);
      }),
      { seed: SEED, numRuns: 150 },
    );
  },
);

const geofence = fc.record({
  id: fc.constant(1),
  name: fc.constantFrom("field", "pond <1>"),
  type: fc.constantFrom("polygon" as const, "circle" as const),
  fence_type: fc.constantFrom("inclusion" as const, "exclusion" as const),
  enabled: fc.boolean(),
  radius: fc.double({ min: 0.1, max: 1e4, noNaN: true }),
  vertices: fc.uniqueArray(fc.tuple(degrees(90), degrees(180)), {
    minLength: 3,
    maxLength: 9,
    selector: String,
  }),
});

test.each(FORMATS)("a geofence that was written as %s is read again", async (format) => {
  await fc.assert(
    fc.asyncProperty(geofence, async ({ radius, vertices, ...plan }) => {
      const isCircle = plan.type === "circle";
      const corners = isCircle ? vertices.slice(0, 1) : vertices;
      const geofence_points = corners.map(([lat, lng], index) => ({
        ...{ id: index, geofence_id: 1, sequence: index, lat, lng, command: 5001, frame: 3 },
        ...{ param1: isCircle ? radius : 0, param2: 0, param3: 0, param4: 0 },
      }));
      const { text, leftOut } = writeGeofence({ ...plan, geofence_points }, format);
      const { geofences } = await readGeofences(Buffer.from(text), format, new LeftOutList());
      const { enabled, fence_type, type } = plan;
      expect(geofences).toMatchObject([
        {
          ...{ type, fence_type, points: corners.map(([lat, lng]) => ({ lat, lng })) },
          ...(isCircle ? { radius } : {}),
          // The other formats leave out that a geofence is switched off.
          ...(format === "kml" || format === "geojson" ? { enabled } : {}),
        },
      ]);
      const isLost = !enabled && (format === "plan" || format === "waypoints");
      expect(leftOut.includes("enabled")).toBe(isLost);
    }),
    { seed: SEED, numRuns: 150 },
  );
});
