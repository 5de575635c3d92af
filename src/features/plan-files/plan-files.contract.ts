import type { ApiClient } from "../../testing/client";
import type { ContractCase } from "../../testing/contract";
import { storeGeofence, storeMission } from "../../testing/worlds/plans";

const refusal = { error: expect.any(String) };

const simple = (doJumpId: number, command: number, params: (number | null)[], frame = 3) => ({
  ...{ AMSLAltAboveTerrain: null, Altitude: 30, AltitudeMode: 1, autoContinue: true },
  ...{ command, doJumpId, frame, params, type: "SimpleItem" },
});

const planFile = {
  fileType: "Plan",
  geoFence: {
    circles: [{ circle: { center: [47.15, 8.15], radius: 25.5 }, inclusion: false, version: 1 }],
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
    version: 2,
  },
  groundStation: "QGroundControl",
  mission: {
    ...{ cruiseSpeed: 15, firmwareType: 3, globalPlanAltitudeMode: 1, hoverSpeed: 5 },
    items: [
      simple(1, 22, [0, 0, 0, null, 47.1, 8.1, 20]),
      simple(2, 16, [0, 0, 0, null, 47.15, 8.15, 30]),
      simple(3, 177, [2, 3, 0, 0, 0, 0, 0], 2),
    ],
    ...{ plannedHomePosition: [47.1, 8.1, 488], vehicleType: 2, version: 2 },
  },
  rallyPoints: { points: [], version: 2 },
  version: 1,
};

const WAYPOINTS = [
  "QGC WPL 110",
  "0\t1\t0\t16\t0\t0\t0\t0\t47.3977420\t8.5455940\t488.000000\t1",
  "1\t0\t3\t22\t0\t0\t0\t0\t0\t0\t20.000000\t1",
  "2\t0\t3\t16\t0\t0\t0\t0\t47.3980000\t8.5460000\t30.000000\t1",
  "",
].join("\r\n");

const line = JSON.stringify({
  type: "LineString",
  coordinates: [
    [8, 47],
    [8.1, 47.1],
  ],
});

async function storesNothing(api: ApiClient, kind: string, before: number): Promise<void> {
  expect((await api.get(`/${kind}s`)).body).toHaveLength(before);
}

export const planFilesContract: readonly ContractCase[] = [
  {
    route: "POST /missions/import",
    title: "answers 201 with the mission of a .plan, and what of the file it has not",
    run: async ({ user }) => {
      const reply = await user.api.post("/missions/import?name=alp&format=plan", planFile);
      expect(reply.status).toBe(201);
      const { mission, left_out } = reply.body;
      expect(mission).toMatchObject({ name: "alp", mission_points: [{}, {}, { param1: 2 }] });
      expect(mission.mission_points[0]).toEqual({
        ...{ id: expect.any(Number), mission_id: mission.id, sequence: 1, type: "fly", label: null },
        ...{ command: 22, frame: 3, lat: 47.1, lng: 8.1, altitude: 20, is_current: false },
        ...{ autocontinue: true, param1: 0, param2: 0, param3: 0, param4: null },
      });
      expect(left_out).toContainEqual({
        ...{ at: "mission", what: "plannedHomePosition" },
        why: expect.any(String),
      });
      expect((await user.api.get(`/mission/${mission.id}`)).body).toEqual(mission);
    },
  },
  {
    route: "POST /missions/import",
    title: "takes any content type, recognises the format, and names the mission itself",
    run: async ({ user }) => {
      const text = user.api.with({ "content-type": "text/plain" });
      const reply = await text.post("/missions/import", WAYPOINTS);
      expect(reply).toMatchObject({ status: 201, body: { mission: { name: "Imported mission" } } });
      expect(reply.body.mission.mission_points).toHaveLength(2);
      const named = await user.api.post("/missions/import?altitude=42.5", {
        ...{ type: "Feature", geometry: JSON.parse(line), properties: {} },
      });
      expect(named).toMatchObject({ status: 400, body: { error: expect.stringMatching(/already/) } });
    },
  },
  {
    route: "POST /missions/import",
    title: "gives positions without a height the parameter's, and refuses them without it",
    run: async ({ user }) => {
      const refused = await user.api.post("/missions/import", line);
      expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining("altitude") } });
      const { body } = await user.api.post("/missions/import?altitude=42.5", line);
      expect(body.mission.mission_points).toMatchObject([
        { altitude: 42.5, frame: 3, sequence: 1 },
        { altitude: 42.5, frame: 3, sequence: 2 },
      ]);
    },
  },
  {
    route: "POST /missions/import",
    title: "answers 400 with the item or the line for a file that does not fit, and stores nothing",
    run: async ({ user }) => {
      const bad: [string, string, RegExp][] = [
        ["", "", /empty/],
        ["", "rubbish", /none of/],
        ["?format=kml", WAYPOINTS, /is waypoints, not kml/],
        ["?format=gpx", WAYPOINTS, /^format: /],
        ["?altitude=", line, /^altitude: /],
        ["?altitude=1e9", line, /^altitude: /],
        ["", WAYPOINTS.replace("47.3980000", "91"), /^line 4: lat: must be at most 90/],
        ["", WAYPOINTS.replace("8.5460000", "-181"), /^line 4: lng: /],
        ["", WAYPOINTS.replace("30.000000", "1e39"), /^line 4: altitude: /],
        ["", WAYPOINTS.replace("\t3\t16", "\t3\t70000"), /^line 4: command: /],
        ["", WAYPOINTS.replace("\t3\t16", "\t256\t16"), /^line 4: frame: /],
        ["", '{"fileType":"Plan","mission":{', /JSON/],
        ["", '{"type":"Point","coordinates":[8,47,1],"name":"\\u0000"', /JSON/],
      ];
      for (const [query, file, words] of bad) {
        const reply = await user.api.post(`/missions/import${query}`, file);
        expect([file, reply]).toMatchObject([file, { status: 400, body: refusal }]);
        expect(reply.body.error).toMatch(words);
      }
      await storesNothing(user.api, "mission", 0);
    },
  },
  {
    route: "POST /missions/import",
    title: "answers 413 for a file of more than 1 MiB",
    run: async ({ user }) => {
      const reply = await user.api.post("/missions/import", `QGC WPL 110\n${"#".repeat(1_048_576)}`);
      expect(reply).toMatchObject({ status: 413, body: refusal });
    },
  },
  {
    route: "POST /geofences/import",
    title: "answers 201 with a geofence for each polygon and circle, and numbers their names",
    run: async ({ user }) => {
      const reply = await user.api.post("/geofences/import?name=field&fence_type=inclusion", planFile);
      expect(reply.status).toBe(201);
      expect(reply.body.left_out).toEqual([{ at: "mission", what: "items", why: expect.any(String) }]);
      const [polygon, circle] = reply.body.geofences;
      expect(polygon).toMatchObject({
        name: "field",
        type: "polygon",
        fence_type: "inclusion",
        enabled: true,
      });
      expect(polygon.geofence_points).toMatchObject(
        [8.1, 8.2, 8.2].map((lng, index) => ({ lng, sequence: index + 1, command: 5001, param1: 3 })),
      );
      expect(circle).toMatchObject({ name: "field 2", type: "circle", fence_type: "exclusion" });
      expect(circle.geofence_points).toMatchObject([{ lat: 47.15, lng: 8.15, command: 5004, param1: 25.5 }]);
      expect((await user.api.get("/geofences")).body).toEqual(reply.body.geofences);
    },
  },
  {
    route: "POST /geofences/import",
    title: "takes the kind of a shape from the parameter where the file does not say it",
    run: async ({ user }) => {
      const ring = [
        ...[
          [8, 47],
          [8.1, 47],
        ],
        ...[
          [8.1, 47.1],
          [8, 47],
        ],
      ];
      const polygon = { type: "Polygon", coordinates: [ring] };
      const inclusion = await user.api.post("/geofences/import?name=in&fence_type=inclusion", polygon);
      expect(inclusion.body.geofences).toMatchObject([{ fence_type: "inclusion" }]);
      const usual = await user.api.post("/geofences/import", polygon);
      expect(usual.body.geofences).toMatchObject([{ name: "Imported geofence", fence_type: "exclusion" }]);
    },
  },
  {
    route: "POST /geofences/import",
    title: "stores none when one does not fit or one's name is taken",
    run: async ({ user }) => {
      await storeGeofence(user.api, "field 2");
      const taken = await user.api.post("/geofences/import?name=field", planFile);
      expect(taken).toMatchObject({ status: 400, body: { error: expect.stringMatching(/already/) } });
      const { geoFence, ...rest } = planFile;
      for (const [radius, words] of [
        [0, /^circle 1: .*radius/],
        [-1, /^circle 1: /],
        ["1", /^circle 1: circle.radius/],
      ] as const) {
        const circles = [{ circle: { center: [47, 8], radius }, inclusion: true, version: 1 }];
        const reply = await user.api.post("/geofences/import", {
          ...rest,
          geoFence: { ...geoFence, circles },
        });
        expect(reply).toMatchObject({ status: 400, body: { error: expect.stringMatching(words) } });
      }
      const far = { center: [91, 8], radius: 5 };
      const reply = await user.api.post("/geofences/import", {
        ...rest,
        geoFence: { ...geoFence, circles: [{ circle: far, inclusion: true, version: 1 }] },
      });
      expect(reply.body).toEqual({ error: expect.stringMatching(/^circle 1, point 1: lat: /) });
      await storesNothing(user.api, "geofence", 1);
    },
  },
  {
    route: "GET /mission/:mission_id/export",
    title: "answers 200 with a .plan that can be imported again",
    run: async ({ user }) => {
      const { mission } = (await user.api.post("/missions/import?name=alp", planFile)).body;
      const reply = await user.api.get(`/mission/${mission.id}/export`);
      expect(reply.status).toBe(200);
      expect(reply.headers.get("content-type")).toBe("application/json");
      expect(reply.headers.get("content-disposition")).toBe('attachment; filename="alp.plan"');
      expect(reply.headers.get("x-left-out")).toBe("name");
      expect(reply.body).toMatchObject({
        ...{ fileType: "Plan", version: 1, groundStation: expect.any(String) },
        geoFence: { circles: [], polygons: [], version: 2 },
        rallyPoints: { points: [], version: 2 },
        mission: {
          ...{ version: 2, firmwareType: 3, vehicleType: 2, cruiseSpeed: 15, hoverSpeed: 5 },
          plannedHomePosition: [47.1, 8.1, 0],
          items: planFile.mission.items.map(({ command, doJumpId, frame, params, type }) => ({
            ...{ command, doJumpId, frame, params, type, autoContinue: true },
          })),
        },
      });
      const again = (await user.api.post("/missions/import?name=again", reply.body)).body.mission;
      const bare = ({ id, mission_id, ...point }: Record<string, unknown>) => point;
      expect(again.mission_points.map(bare)).toEqual(mission.mission_points.map(bare));
    },
  },
  {
    route: "GET /mission/:mission_id/export",
    title: "answers 200 with the type of each format and a name that every browser reads",
    run: async ({ user }) => {
      const { id } = await storeMission(user.api, 'Zürich "7"/ñ€');
      for (const [format, type, leftOut] of [
        ["waypoints", "text/plain; charset=utf-8", "name"],
        ["kml", "application/vnd.google-earth.kml+xml", null],
        ["geojson", "application/geo+json", null],
      ] as const) {
        const reply = await user.api.get(`/mission/${id}/export?format=${format}`);
        expect(reply.status).toBe(200);
        expect(reply.headers.get("content-type")).toBe(type);
        expect(reply.headers.get("x-left-out")).toBe(leftOut);
        const disposition = reply.headers.get("content-disposition") ?? "";
        expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''/);
        const name = decodeURIComponent(disposition.replace(/^.*UTF-8''/, ""));
        expect(name).toBe(`Zürich _7__ñ€.${format}`);
      }
      expect((await user.api.get(`/mission/${id}/export?format=waypoints`)).body).toBe(
        [
          "QGC WPL 110",
          "0\t1\t0\t16\t0\t0\t0\t0\t47.1\t8.2\t0\t1",
          ...[1, 2, 3].map((row) => `${row}\t0\t3\t16\t0\t0\t0\t0\t47.1\t8.2\t30\t1`),
          "",
        ].join("\r\n"),
      );
    },
  },
  {
    route: "GET /mission/:mission_id/export",
    title: "answers 404 for a mission that is missing or another's, and 400 for another format",
    run: async ({ user, otherUser }) => {
      const { id } = await storeMission(otherUser.api);
      for (const other of [id, 2_000_000_000, "abc"])
        expect(await user.api.get(`/mission/${other}/export`)).toMatchObject({ status: 404, body: refusal });
      const own = await storeMission(user.api);
      for (const format of ["kmz", "gpx", ""])
        expect(await user.api.get(`/mission/${own.id}/export?format=${format}`)).toMatchObject({
          ...{ status: 400, body: { error: expect.stringContaining("format") } },
        });
    },
  },
  {
    route: "GET /geofence/:geofence_id/export",
    title: "answers 200 with the geofence in each format, which can be imported again",
    run: async ({ user }) => {
      const { id, points } = await storeGeofence(user.api);
      await user.api.patch(`/geofence/${id}/toggle`);
      for (const [index, [format, leftOut]] of (
        [
          ["plan", "name, enabled"],
          ["waypoints", "name, enabled"],
          ["kml", null],
          ["geojson", null],
        ] as const
      ).entries()) {
        const reply = await user.api.get(`/geofence/${id}/export?format=${format}`);
        expect(reply.status).toBe(200);
        expect(reply.headers.get("content-disposition")).toBe(`attachment; filename="field.${format}"`);
        expect(reply.headers.get("x-left-out")).toBe(leftOut);
        const again = await user.api.post(`/geofences/import?name=again${index}`, reply.body);
        expect(again).toMatchObject({
          status: 201,
          body: { geofences: [{ type: "polygon", fence_type: "exclusion", enabled: leftOut !== null }] },
        });
        expect(again.body.geofences[0].geofence_points).toMatchObject(
          points.map((point) => ({
            ...point,
            id: expect.any(Number),
            geofence_id: expect.any(Number),
            ...derived,
          })),
        );
      }
    },
  },
  {
    route: "GET /geofence/:geofence_id/export",
    title: "answers 404 for a geofence that is missing or another's",
    run: async ({ user, otherUser }) => {
      const { id } = await storeGeofence(otherUser.api);
      for (const other of [id, 2_000_000_000])
        expect(await user.api.get(`/geofence/${other}/export`)).toMatchObject({ status: 404, body: refusal });
    },
  },
];

/** What an upload computes anew, and an import stores; and the sequences, which count from 1. */
const derived = { command: 5002, param1: 3, sequence: expect.any(Number) };
