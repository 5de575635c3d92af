import { ApiClient } from "../api-client";
import type { Component } from "./component";

interface Drone {
  readonly id: number;
  readonly type: string;
  readonly port: number;
  readonly link_host: string | null;
  readonly ip: string;
}

/** The first user's drone, flown by the simulated copter. */
export const firstDrone: Component = {
  name: "the first drone",
  async start({ env, ready }) {
    if (!ready.gateway || !ready.user) throw new Error("The first drone needs the gateway and a user.");
    const api = new ApiClient(ready.gateway);
    await api.login(ready.user);
    const { id, ip, link_host } = await droneAt(api, Number(env.SIMULATOR_PORT));
    return { ready: { drone_id: id }, env: link_host === null ? { DRONE_IP: ip } : {} };
  },
};

async function droneAt(api: ApiClient, port: number): Promise<Drone> {
  const simulated = (await api.get<Drone[]>("/drones")).filter(({ type }) => type === "sitl");
  const ours = simulated.find(({ link_host }) => link_host === null);
  // The copter may listen on another port than last time.
  if (ours) return ours.port === port ? ours : api.put<Drone>(`/drone/${ours.id}`, { port });
  // The user set another simulator, and a user without a subscription has one simulated drone.
  const [theirs] = simulated;
  return (
    theirs ??
    api.post<Drone>("/drone", { type: "sitl", name: "Simulated copter", vehicle_type: "copter", port })
  );
}
