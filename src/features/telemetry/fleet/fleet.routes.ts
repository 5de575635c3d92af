import { type Route, route, SerializedJson } from "../../../http/route";
import { DroneState } from "./drone-state";
import type { DroneStates } from "./drone-states";

/** `dronesOf`: the ids of the user's drones. */
export const fleetRoutes = (
  states: Pick<DroneStates, "newestJson">,
  dronesOf: (userId: number) => Promise<readonly number[]>,
): readonly Route[] => [
  route({
    method: "get",
    path: "/drones/state",
    tag: "Drones",
    guard: "user",
    envelope: "B",
    summary: "The newest known state of your drones",
    description:
      "Of each drone, what its vehicle said last on a link that is or was open. No drone is dialled for it: connect to one, or watch its telemetry, and its state follows. `subscribe_fleet` of the sockets tells the changes.",
    success: { status: 200, schema: DroneState.array() },
    handle: async ({ caller }) => new SerializedJson(await states.newestJson(await dronesOf(caller.id))),
  }),
];
