import type { Action } from "./action";
import { fenceActions } from "./fence-actions";
import { flightActions } from "./flight-actions";
import { missionActions } from "./mission-actions";
import { paramActions } from "./param-actions";
import { videoActions } from "./video-actions";

/** Every order that a user may give a drone. */
export const actionTable: readonly Action[] = [
  ...flightActions,
  ...missionActions,
  ...fenceActions,
  ...paramActions,
  ...videoActions,
];
