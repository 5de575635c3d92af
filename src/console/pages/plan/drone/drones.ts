import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { components } from "../../../../client/api-types";
import type { Loaded } from "../../../parts/loaded";

export type Drone = components["schemas"]["Drone"];

/** The user's drones, loaded once for a page of a plan. */
export const DronesContext = createContext<Loaded<readonly Drone[]> | undefined>(undefined);

export function useDrones(): Loaded<readonly Drone[]> {
  const drones = useContext(DronesContext);
  if (!drones) throw new Error("There is no DronesContext above this component.");
  return drones;
}
