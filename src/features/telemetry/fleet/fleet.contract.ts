import type { ContractCase } from "../../../testing/contract";
import { eventually } from "../../../testing/until";
import { withFlownDrone } from "../../../testing/worlds/flown-drone";

export const fleetContract: readonly ContractCase[] = [
  {
    route: "GET /drones/state",
    title: "answers 200 with what the user's drones said last",
    run: withFlownDrone(async ({ user, drone }) => {
      const path = "/drones/state";
      expect(await user.api.get(path)).toMatchObject({
        status: 200,
        body: [{ drone_id: drone.id, link: null, armed: null, position: null }],
      });
      await user.api.get(`/drone/action/connection?id=${drone.id}`);
      await eventually("it is heard", async () => (await user.api.get(path)).body[0].armed === false);
      const link = { up: true, age_ms: expect.any(Number) };
      const { status, body } = await user.api.get(path);
      expect({ status, body }).toMatchObject({ status: 200, body: [{ link, mode: expect.any(String) }] });
    }),
  },
];
