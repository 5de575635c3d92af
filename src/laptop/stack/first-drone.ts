import { ApiClient } from "../api-client";
import type { Part } from "./part";

interface Drone {
  readonly id: number;
  readonly type: string;
  readonly port?: number;
}

/** The first user's drone, flown by the simulated copter. */
export const firstDrone: Part = {
  name: "the first drone",
  async start({ env, ready }) {
    if (!ready.gateway || !ready.user) throw new Error("The first drone needs the gateway and a user.");
    const api = new ApiClient(ready.gateway);
    await api.login(ready.user);
    const wish = {
      type: "sitl",
      name: "Simulated copter",
      vehicle_type: "copter",
      port: Number(env.SIMULATOR_PORT),
    };
    const drones = await api.get<Drone[]>("/drones");
    const known = drones.find(({ type }) => type === "sitl");
    if (known?.port === wish.port) return { says: { drone_id: known.id } };
    // The copter listens elsewhere than last time: the old row would dial into the void.
    if (known) await api.delete(`/drone/${known.id}`);
    const { id } = await api.post<Drone>("/drone", wish);
    return { says: { drone_id: id } };
  },
};
