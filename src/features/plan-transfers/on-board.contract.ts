import type { ApiClient } from "../../testing/client";
import type { ContractCase, ContractWorld } from "../../testing/contract";
import { withFlownDrone } from "../../testing/worlds/flown-drone";
import { missionPoint, storeGeofence, storeMission } from "../../testing/worlds/plans";

const refusal = { error: expect.any(String) };

type Api = ContractWorld["user"]["api"];

/** A mission with these rows, in sequence from 1. */
async function storeRows(api: Api, name: string, rows: readonly object[]): Promise<number> {
  const { id } = (await api.post("/mission", { name })).body;
  const points = rows.map((row, at) => ({ ...missionPoint, ...row, sequence: at + 1 }));
  expect((await api.post(`/mission/${id}/points`, points)).status).toBe(201);
  return id;
}

const TRIANGLE = [
  { lat: 47.5, lng: 8.5 },
  { lat: 47.5, lng: 8.6 },
  { lat: 47.6, lng: 8.5 },
] as const;

/** A geofence of these points, in sequence from 1. */
async function storePoints(api: Api, geofence: object, rows: readonly object[]): Promise<number> {
  const { id } = (await api.post("/geofence", { type: "polygon", ...geofence })).body;
  const points = rows.map((row, at) => ({ command: 5001, ...row, sequence: at + 1 }));
  expect((await api.post(`/geofence/${id}/points`, points)).status).toBe(201);
  return id;
}

const moved = async (api: Api, kind: "mission" | "geofence", planId: number, at: number, change: object) => {
  const points = (await api.get(`/${kind}/${planId}`)).body[`${kind}_points`];
  const { status } = await api.patch(`/${kind}/${planId}/points`, [{ id: points[at].id, ...change }]);
  expect(status).toBe(kind === "mission" ? 201 : 200);
};

const isSame = { same: true, differences: [], missing: [], extra: [] };

export const missionOnBoardContract: readonly ContractCase[] = [
  {
    route: "GET /drone/:drone_id/onboard/mission",
    title:
      "says that an uploaded mission is on board as it is stored, with its added takeoff and what the drone rounds",
    run: withFlownDrone(async ({ order, user, drone }) => {
      const mission_id = await storeRows(user.api, "rounded", [
        { altitude: 20.126, param1: 12.7, param4: 90 },
        { lat: 47.2, param2: 3 },
      ]);
      const { hash } = (await order("push_mission", { mission_id })).body.result;
      const path = `/drone/${drone.id}/onboard/mission`;
      const { status, body } = await user.api.get(`${path}?mission_id=${mission_id}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ state: "verified", mission_id, hash, ...isSame });
      const { items, ...mission } = (await user.api.get(`/drone/${drone.id}/mission`)).body;
      expect(body).toEqual({
        ...{ ...mission, ...isSame },
        items: items.map((item: object, at: number) => ({ sequence: at + 1, ...item })),
      });
      expect(body.items.map(({ command }: { command: number }) => command)).toEqual([22, 16, 16]);
      const { same, differences, missing, extra, ...alone } = body;
      expect((await user.api.get(path)).body).toEqual(alone);
    }),
  },
  {
    route: "GET /drone/:drone_id/onboard/mission",
    title:
      "names fields, rows that are missing and items that no row has, once the stored mission is changed",
    run: withFlownDrone(async ({ order, user, drone }) => {
      const rows = [47.1, 47.2, 47.3, 47.4].map((lat) => ({ lat }));
      const mission_id = await storeRows(user.api, "changed", rows);
      await order("push_mission", { mission_id });
      const compared = async (id = mission_id) =>
        (await user.api.get(`/drone/${drone.id}/onboard/mission?mission_id=${id}`)).body;
      await moved(user.api, "mission", mission_id, 1, { lat: 47.25, altitude: 35 });
      expect(await compared()).toMatchObject({
        ...{ state: "verified", mission_id, same: false, missing: [], extra: [] },
        differences: [
          { sequence: 2, field: "lat", stored: 47.25, on_board: 47.2 },
          { sequence: 2, field: "altitude", stored: 35, on_board: 30 },
        ],
      });
      const without = await storeRows(user.api, "without a row", rows.toSpliced(1, 1));
      expect(await compared(without)).toMatchObject({ ...isSame, same: false, extra: [3] });
      const longer = await storeRows(user.api, "with a row more", [...rows, { lat: 47.5 }]);
      expect(await compared(longer)).toMatchObject({ ...isSame, same: false, missing: [5] });
      const free = await storeRows(user.api, "with a yaw", [{ ...rows[0], param4: null }, ...rows.slice(1)]);
      expect(await compared(free)).toMatchObject(isSame);
    }),
  },
  {
    route: "GET /drone/:drone_id/onboard/mission",
    title:
      "answers a drone without a mission with no items, and says that each row and the added takeoff is missing",
    run: withFlownDrone(async ({ user, drone }) => {
      const { id } = await storeMission(user.api);
      const { status, body } = await user.api.get(`/drone/${drone.id}/onboard/mission?mission_id=${id}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ state: "other", items: [], same: false, missing: [null, 1, 2, 3] });
    }),
  },
  {
    route: "GET /drone/:drone_id/onboard/mission",
    title: "says that PX4 holds the mission of a rover as it is stored",
    run: withFlownDrone(
      async ({ order, user, drone }) => {
        const mission_id = await storeRows(user.api, "drive", [{ param4: -90 }, { lat: 47.2, param4: null }]);
        await order("push_mission", { mission_id });
        const path = `/drone/${drone.id}/onboard/mission?mission_id=${mission_id}`;
        const { body } = await user.api.get(path);
        expect(body).toMatchObject(isSame);
        expect(body.items).toMatchObject([
          { sequence: 1, param4: 270 },
          { sequence: 2, param4: null },
        ]);
        await moved(user.api, "mission", mission_id, 1, { param4: 10 });
        expect((await user.api.get(path)).body.differences).toEqual([
          { sequence: 2, field: "param4", stored: 10, on_board: null },
        ]);
      },
      { kind: "rover", autopilot: "px4" },
    ),
  },
  {
    route: "GET /drone/:drone_id/onboard/mission",
    title: "answers a drone or a mission that is missing or another's with 404, and a wrong id with 400",
    run: withFlownDrone(async ({ user, otherUser, drone }) => {
      await refusesOthers(`/drone/${drone.id}/onboard/mission`, "mission_id", {
        ...{ user: user.api, other: otherUser.api },
        own: (await storeMission(user.api)).id,
        theirs: (await storeMission(otherUser.api)).id,
      });
    }),
  },
  {
    route: "GET /drone/:drone_id/onboard/mission",
    title: "answers 400 for a mission that says no height to take off to, and 500 for a drone that is away",
    run: withFlownDrone(async ({ user, drone }) => {
      const id = await storeRows(user.api, "on the ground", [{ altitude: 0 }]);
      const path = `/drone/${drone.id}/onboard/mission`;
      expect(await user.api.get(`${path}?mission_id=${id}`)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining("how high to take off") },
      });
      await drone.stop();
      expect(await user.api.get(path)).toMatchObject({ status: 500, body: refusal });
    }),
  },
];

export const fenceOnBoardContract: readonly ContractCase[] = [
  {
    route: "GET /drone/:drone_id/onboard/fence",
    title: "gives the areas on board, and says that an uploaded geofence is the only one",
    run: withFlownDrone(async ({ order, user, drone }) => {
      const geofence_id = await storePoints(user.api, { name: "field", enabled: false }, TRIANGLE);
      await order("push_geofence", { geofence_id });
      const path = `/drone/${drone.id}/onboard/fence`;
      const { status, body } = await user.api.get(`${path}?geofence_id=${geofence_id}`);
      expect(status).toBe(200);
      const onBoard = {
        ...{ is_mixture: false, hash: expect.stringMatching(/^[0-9a-f]{64}$/), return_point: null },
        areas: [
          { sequence: 1, type: "polygon", fence_type: "exclusion", points: [...TRIANGLE], radius: null },
        ],
      };
      expect(body).toEqual({ ...onBoard, ...isSame, included: true });
      const alone = await user.api.get(path);
      expect(alone.body).toEqual(onBoard);
      expect(alone.body.hash).toBe(body.hash);
    }),
  },
  {
    route: "GET /drone/:drone_id/onboard/fence",
    title: "says whether the geofence is among several on board",
    run: withFlownDrone(async ({ order, user, drone }) => {
      const pond = { name: "pond", type: "circle", fence_type: "inclusion" };
      const field = await storePoints(user.api, { name: "field" }, TRIANGLE);
      const circle = await storePoints(user.api, pond, [{ lat: 47.4, lng: 8.5, param1: 25.5 }]);
      const none = await storePoints(
        user.api,
        { name: "elsewhere", enabled: false },
        TRIANGLE.map(({ lat, lng }) => ({ lat: lat - 5, lng })),
      );
      await order("sync_geofences", { force: true });
      const compared = async (id: number) =>
        (await user.api.get(`/drone/${drone.id}/onboard/fence?geofence_id=${id}`)).body;
      const among = { ...isSame, same: false, included: true };
      const { areas, ...ofField } = await compared(field);
      const shown = areas.map((area: { type: string; radius: number | null; sequence: number }) => area);
      const at = (type: string) => shown.find((area: { type: string }) => area.type === type);
      expect(shown).toHaveLength(2);
      expect(at("circle")).toMatchObject({
        ...{ fence_type: "inclusion", radius: 25.5, points: [{ lat: 47.4, lng: 8.5 }] },
      });
      expect(ofField).toMatchObject({ ...among, extra: [at("circle").sequence] });
      expect(await compared(circle)).toMatchObject({ ...among, extra: [at("polygon").sequence] });
      expect(await compared(none)).toMatchObject({
        ...{ same: false, included: false, differences: [], missing: [1, 2, 3], extra: [1, 2] },
      });
    }),
  },
  {
    route: "GET /drone/:drone_id/onboard/fence",
    title: "names what was changed in the stored geofence, and has no area once the fence is cleared",
    run: withFlownDrone(async ({ order, user, drone }) => {
      const geofence_id = await storePoints(user.api, { name: "field" }, TRIANGLE);
      await order("push_geofence", { geofence_id });
      const compared = async () =>
        (await user.api.get(`/drone/${drone.id}/onboard/fence?geofence_id=${geofence_id}`)).body;
      await moved(user.api, "geofence", geofence_id, 1, { lng: 8.75 });
      expect(await compared()).toMatchObject({
        ...{ same: false, included: false, missing: [], extra: [] },
        differences: [{ sequence: 2, field: "lng", stored: 8.75, on_board: 8.6 }],
      });
      await moved(user.api, "geofence", geofence_id, 1, { lng: 8.6 });
      const point = { geofence_id, lat: 47.55, lng: 8.45, sequence: 4, command: 5001 };
      expect((await user.api.post("/geofence/point", [point])).status).toBe(201);
      expect(await compared()).toMatchObject({
        ...{ same: false, included: false, missing: [4], extra: [] },
        differences: [{ sequence: 1, field: "param1", stored: 4, on_board: 3 }],
      });
      await order("clear_fence");
      expect(await compared()).toMatchObject({
        ...{ areas: [], same: false, included: false, missing: [1, 2, 3, 4], extra: [], differences: [] },
      });
    }),
  },
  {
    route: "GET /drone/:drone_id/onboard/fence",
    title: "answers a drone or a geofence that is missing or another's with 404, and a wrong id with 400",
    run: withFlownDrone(async ({ user, otherUser, drone }) => {
      await refusesOthers(`/drone/${drone.id}/onboard/fence`, "geofence_id", {
        ...{ user: user.api, other: otherUser.api },
        own: await storePoints(user.api, { name: "field" }, TRIANGLE),
        theirs: (await storeGeofence(otherUser.api)).id,
      });
    }),
  },
  {
    route: "GET /drone/:drone_id/onboard/fence",
    title: "answers 400 for a geofence that could not be uploaded, and 500 for a drone that is away",
    run: withFlownDrone(async ({ user, drone }) => {
      const line = await storePoints(user.api, { name: "line" }, TRIANGLE.slice(1));
      const path = `/drone/${drone.id}/onboard/fence`;
      expect(await user.api.get(`${path}?geofence_id=${line}`)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('"line" is a polygon and needs at least 3 vertices') },
      });
      await drone.stop();
      expect(await user.api.get(path)).toMatchObject({ status: 500, body: refusal });
    }),
  },
];

interface Ids {
  readonly user: ApiClient;
  readonly other: ApiClient;
  readonly own: number;
  readonly theirs: number;
}

async function refusesOthers(path: string, key: string, { user, other, own, theirs }: Ids) {
  expect((await user.get(`${path}?${key}=${own}`)).status).toBe(200);
  for (const id of [theirs, 2_000_000_000])
    expect(await user.get(`${path}?${key}=${id}`)).toMatchObject({ status: 404, body: refusal });
  for (const query of ["", `?${key}=${theirs}`])
    expect(await other.get(`${path}${query}`)).toMatchObject({ status: 404, body: refusal });
  for (const id of ["abc", "0", `${own},${own}`])
    expect(await user.get(`${path}?${key}=${id}`)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(key) },
    });
}
