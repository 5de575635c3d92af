import { reply } from "../../../client/client";
import { type Loaded, useLoaded } from "../../parts/loaded";
import { useSession } from "../../session/context";
import { strings } from "../../strings";

/** Names by drones' ids, also of deleted ones that have files. */
export type DroneNames = ReadonlyMap<number, string>;

export function useDroneNames(): Loaded<DroneNames> {
  const { api } = useSession().client;
  return useLoaded(async () => {
    const { data } = await reply(api.GET("/assets/user"));
    return new Map(data.map(({ vehicle_id, name }) => [vehicle_id, name]));
  });
}

export const droneName = (names: DroneNames | undefined, id: number): string =>
  names?.get(id) ?? strings.flights.unknownDrone(id);
