import { autopilots, isPx4, isRover } from "../../testing/autopilots/autopilot";
import { contents, missionOnBoard, square, storeFence, storePlan } from "../../testing/autopilots/plans";
import { startVehicle, type TestedVehicle } from "../../testing/autopilots/tested-vehicle";
import type { ObservedState } from "../../testing/autopilots/witness";
import { killInTransfer } from "../../testing/programs/killed-transfer";
import { until } from "../../testing/until";
import { faultyLink, type LinkFaults } from "../../testing/worlds/faulty-link";
import { REPLICA_ENV } from "../../testing/worlds/replicas";

jest.setTimeout(240_000);

const ROWS = 12;

describe.each(autopilots)("a gateway that is killed while it uploads to a %s", (name) => {
  let vehicle: TestedVehicle;
  let home: ObservedState;
  let faults: LinkFaults;
  beforeAll(async () => {
    vehicle = await startVehicle(name, { env: REPLICA_ENV });
    home = await vehicle.witness.fresh();
    const link = await faultyLink({ host: "127.0.0.1", port: vehicle.autopilot.port });
    faults = link.faults;
    const moved = await vehicle.api.put(`/drone/${vehicle.droneId}`, { port: link.port });
    expect(moved.status).toBe(201);
  });
  afterAll(() => vehicle.stop());

  const store = (rows: number, altitude: number) =>
    storePlan(vehicle.api, home, [
      ...(isRover(name) ? [] : [{ command: 22, altitude }]),
      ...Array.from({ length: rows }, (_, at) => ({ north: 5 * at, east: 10, altitude })),
    ]);
  /** Retried while the vehicle is busy with the transfer that broke off. */
  const onBoard = () =>
    until(async () => {
      const { status, body } = await vehicle.api.get(`/drone/${vehicle.droneId}/mission`);
      return status === 200 && body;
    }, 60_000);
  const kill = (path: string, body: object, items: number) => {
    const {
      gateway,
      owner: { token },
      droneId,
    } = vehicle;
    return killInTransfer({ gateway, token, droneId, faults, path, body, items });
  };

  test.each([
    ["longer", "in its middle", ROWS, ROWS / 2],
    ["shorter", "in its middle", 4, 3],
    ["longer", "after its last item", ROWS, undefined],
  ])(
    "leaves the old mission or a %s new one whole, killed %s, and GET says which",
    async (_, __, rows, sent) => {
      const before = await store(8, 30);
      expect((await vehicle.order("push_mission", { mission_id: before })).status).toBe(200);
      const old = contents(await missionOnBoard(vehicle));
      const after = await store(rows, 50);
      const all = rows + (isRover(name) ? 0 : 1) + (isPx4(name) ? 0 : 1);
      expect(await kill("push_mission", { mission_id: after }, sent ?? all)).toBe(false);
      const said = await onBoard();
      expect(said).toMatchObject({ state: "verified", mission_id: sent ? before : after });
      const now = await missionOnBoard(vehicle);
      if (sent) expect(contents(now)).toEqual(old);
      else expect(new Set(now.map(({ z }) => z))).toEqual(new Set([50]));
      expect(now).toHaveLength(said.items.length);
      expect(await vehicle.gateway.deps.db("plan_transfers")).toEqual([]);
    },
  );

  test("leaves the old fence whole", async () => {
    const [before, after] = [
      await storeFence(vehicle.api, home, "inclusion", square(200)),
      await storeFence(vehicle.api, home, "inclusion", square(300)),
    ];
    expect((await vehicle.order("push_geofence", { geofence_id: before })).status).toBe(200);
    const old = contents(await vehicle.witness.plan(1));
    expect(await kill("push_geofence", { geofence_id: after }, 2)).toBe(false);
    await onBoard();
    expect(await vehicle.gateway.deps.db("plan_transfers")).toEqual([]);
    expect(contents(await vehicle.witness.plan(1))).toEqual(old);
  });
});
