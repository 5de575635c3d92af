import type { components } from "../../client/api-types";
import { FleetClient, reply } from "../../client/client";
import type { Component } from "./component";

/** The first user's drone, flown by the simulated copter. */
export const firstDrone: Component = {
  name: "the first drone",
  async start({ env, ready }) {
    if (!ready.gateway || !ready.user) throw new Error("The first drone needs the gateway and a user.");
    const client = new FleetClient(ready.gateway);
    await client.logIn(ready.user.username, ready.user.password);
    const { id, ip, link_host } = await droneAt(client, Number(env.SIMULATOR_PORT));
    return { ready: { drone_id: id }, env: link_host === null && ip !== null ? { DRONE_IP: ip } : {} };
  },
};

async function droneAt({ api }: FleetClient, port: number): Promise<components["schemas"]["Drone"]> {
  const simulated = (await reply(api.GET("/drones"))).filter(({ type }) => type === "sitl");
  const ours = simulated.find(({ link_host }) => link_host === null);
  // The copter may listen on another port than last time.
  if (ours?.port === port) return ours;
  if (ours) {
    const params = { path: { drone_id: ours.id } };
    return reply(api.PUT("/drone/{drone_id}", { params, body: { port } }));
  }
  // The user set another simulator, and a user without a subscription has one simulated drone.
  const [theirs] = simulated;
  const copter = { type: "sitl", name: "Simulated copter", vehicle_type: "copter", port } as const;
  return theirs ?? reply(api.POST("/drone", { body: copter }));
}
