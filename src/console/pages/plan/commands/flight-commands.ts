import type { Command, Parameter } from "./command";

const both = ["ardupilot", "px4"] as const;
const ardupilot = ["ardupilot"] as const;

const yaw: Parameter = { unit: "°", min: -360, max: 360, isOptional: true, only: "px4" };
const hold: Parameter = { unit: "s", min: 0 };
const radius: Parameter = { unit: "m" };
const exit: Parameter = { options: [0, 1] };
const heading: Parameter = { options: [0, 1], only: "px4" };

/** Rows that are flown to, flown from or waited at. */
export const flightCommands: readonly Command[] = [
  // NAV_WAYPOINT
  {
    ...{ id: 16, group: "flight", position: "path", takenBy: both },
    parameters: {
      param1: hold,
      param2: { unit: "m", min: 0, only: "px4" },
      param4: yaw,
    },
  },
  // NAV_SPLINE_WAYPOINT
  {
    ...{ id: 82, group: "flight", position: "path", takenBy: ardupilot },
    parameters: { param1: hold },
  },
  // NAV_TAKEOFF
  {
    ...{ id: 22, group: "flight", position: "path", takenBy: both },
    parameters: { param4: yaw },
  },
  // NAV_LAND
  {
    ...{ id: 21, group: "flight", position: "path", takenBy: both },
    parameters: {
      param1: { unit: "m", min: 0, only: "ardupilot" },
      param2: { options: [0, 1, 2], only: "px4" },
      param4: yaw,
    },
    initial: { altitude: 0 },
  },
  // NAV_RETURN_TO_LAUNCH
  {
    ...{ id: 20, group: "flight", position: "none", takenBy: both },
    parameters: {},
  },
  // NAV_LOITER_UNLIM
  {
    ...{ id: 17, group: "flight", position: "path", takenBy: both },
    parameters: { param3: radius, param4: yaw },
  },
  // NAV_LOITER_TIME
  {
    ...{ id: 19, group: "flight", position: "path", takenBy: both },
    parameters: {
      param1: { unit: "s", min: 0, initial: 10 },
      param2: heading,
      param3: { ...radius, only: "px4" },
      param4: exit,
    },
  },
  // NAV_LOITER_TURNS
  {
    ...{ id: 18, group: "flight", position: "path", takenBy: ardupilot },
    parameters: {
      param1: { min: 0, max: 255, initial: 1 },
      param3: { ...radius, initial: 20 },
      param4: exit,
    },
  },
  // NAV_LOITER_TO_ALT
  {
    ...{ id: 31, group: "flight", position: "path", takenBy: both },
    parameters: { param1: heading, param2: radius, param4: exit },
  },
  // NAV_DELAY
  {
    ...{ id: 93, group: "flight", position: "none", takenBy: both },
    parameters: {
      param1: { unit: "s", min: -1, initial: 10 },
      param2: { min: -1, max: 23, isWhole: true, initial: -1 },
      param3: { min: -1, max: 59, isWhole: true, initial: -1 },
      param4: { min: -1, max: 59, isWhole: true, initial: -1 },
    },
  },
  // NAV_PAYLOAD_PLACE
  {
    ...{ id: 94, group: "flight", position: "path", takenBy: ardupilot },
    parameters: { param1: { unit: "m", min: 0 } },
  },
  // NAV_GUIDED_ENABLE
  {
    ...{ id: 92, group: "flight", position: "none", takenBy: ardupilot },
    parameters: { param1: { options: [0, 1], initial: 1 } },
  },
  // NAV_VTOL_TAKEOFF
  {
    ...{ id: 84, group: "vtol", position: "path", takenBy: both },
    parameters: { param4: yaw },
  },
  // NAV_VTOL_LAND
  {
    ...{ id: 85, group: "vtol", position: "path", takenBy: both },
    parameters: { param4: yaw },
    initial: { altitude: 0 },
  },
  // DO_VTOL_TRANSITION
  {
    ...{ id: 3000, group: "vtol", position: "none", takenBy: both },
    parameters: { param1: { options: [3, 4], initial: 4 } },
  },
];
