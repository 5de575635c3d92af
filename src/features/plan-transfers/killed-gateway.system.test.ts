import { killInTransfer } from "../../testing/programs/killed-transfer";
import { faultyLink } from "../../testing/worlds/faulty-link";
import { missionPoint } from "../../testing/worlds/plans";
import { REPLICA_ENV } from "../../testing/worlds/replicas";
import { startTestSimulator } from "../../testing/worlds/simulator";
import { startTestGateway } from "../../testing/worlds/start-gateway";

jest.setTimeout(180_000);

const POINTS = 12;

describe.each(["ardupilot", "px4"] as const)(
  "a gateway that is killed while it uploads a mission to %s",
  (autopilot) => {
    async function world() {
      const gateway = await startTestGateway(REPLICA_ENV);
      const { vehicle, stop } = await startTestSimulator([{ kind: "copter", autopilot }], 4);
      const { port, faults } = await faultyLink(vehicle);
      const { api, token } = await gateway.newUser();
      const { id } = (
        await api.post("/drone", {
          ...{ type: "sitl", name: "far", vehicle_type: "copter" },
          ...{ port, link_host: vehicle.host },
        })
      ).body;
      const store = async (altitude: number): Promise<number> => {
        const mission = (await api.post("/mission", { name: `at ${altitude} m` })).body.id;
        for (let sequence = 1; sequence <= POINTS; sequence++) {
          const point = { ...missionPoint, altitude, mission_id: mission, sequence };
          expect((await api.post("/mission/point", [point])).status).toBe(201);
        }
        return mission;
      };
      const onBoard = async () => {
        const { status, body } = await api.get(`/drone/${id}/mission`);
        expect(status).toBe(200);
        const altitudes = new Set(body.items.map(({ altitude }: { altitude: number }) => altitude));
        return { ...body, altitudes: [...altitudes] };
      };
      const push = (mission_id: number) =>
        api.post("/drone/action/push_mission", { drone_id: id, mission_id });
      return { gateway, token, id, faults, store, push, onBoard, stop };
    }

    test.each([
      ["with half of the items", POINTS / 2, 30],
      // The takeoff that is added, and ArduPilot's own item.
      ["with all items", POINTS + (autopilot === "ardupilot" ? 2 : 1), 40],
    ])("leaves one plan whole, %s at the vehicle, and GET says which", async (_name, items, altitude) => {
      const { gateway, token, id, faults, store, push, onBoard, stop } = await world();
      const [before, after] = [await store(30), await store(40)];
      expect((await push(before)).status).toBe(200);
      expect(await onBoard()).toMatchObject({ state: "verified", mission_id: before, altitudes: [30] });
      const replied = await killInTransfer({
        ...{ gateway, token, faults, items, droneId: id },
        ...{ path: "push_mission", body: { mission_id: after } },
      });
      expect(replied).toBe(false);
      expect(await onBoard()).toMatchObject({
        state: "verified",
        mission_id: altitude === 30 ? before : after,
        altitudes: [altitude],
      });
      expect(await gateway.deps.db("plan_transfers")).toEqual([]);
      await stop();
    });
  },
);
