import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { components } from "../../../client/api-types";
import type { OnBoard } from "./map/on-board";
import type { VehicleOrders } from "./orders/vehicle-orders";
import type { VehicleState } from "./vehicle-state";

/** The drone of the page. */
export interface Flown {
  readonly drone: components["schemas"]["Drone"];
  readonly state: VehicleState;
  readonly orders: VehicleOrders;
  readonly onBoard: OnBoard;
}

export const FlownContext = createContext<Flown | undefined>(undefined);

export function useFlown(): Flown {
  const flown = useContext(FlownContext);
  if (!flown) throw new Error("There is no FlownContext above this component.");
  return flown;
}
