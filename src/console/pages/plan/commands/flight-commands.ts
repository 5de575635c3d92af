import type { Command, Parameter } from "./command";

const both = ["ardupilot", "px4"] as const;
const ardupilot = ["ardupilot"] as const;

const yaw: Parameter = { label: "Yaw", unit: "°", min: -360, max: 360, isOptional: true, only: "px4" };
const hold: Parameter = { label: "Hold", unit: "s", min: 0 };
const radius: Parameter = { label: "Radius", unit: "m" };
const exit: Parameter = {
  label: "Leave the circle",
  options: [
    [0, "towards the line between the centres"],
    [1, "straight to the next waypoint"],
  ],
};
const heading: Parameter = {
  label: "Leave",
  options: [
    [0, "at once"],
    [1, "heading for the next waypoint"],
  ],
  only: "px4",
};

/** Rows that are flown to, flown from or waited at. */
export const flightCommands: readonly Command[] = [
  {
    ...{ id: 16, name: "Waypoint", group: "flight", position: "path", takenBy: both },
    parameters: {
      param1: hold,
      param2: { label: "Acceptance radius", unit: "m", min: 0, only: "px4" },
      param4: yaw,
    },
  },
  {
    ...{ id: 82, name: "Spline waypoint", group: "flight", position: "path", takenBy: ardupilot },
    parameters: { param1: hold },
  },
  {
    ...{ id: 22, name: "Take off", group: "flight", position: "path", takenBy: both },
    parameters: { param4: yaw },
  },
  {
    ...{ id: 21, name: "Land", group: "flight", position: "path", takenBy: both },
    parameters: {
      param1: { label: "Abort height", unit: "m", min: 0, only: "ardupilot" },
      param2: {
        label: "Precision landing",
        options: [
          [0, "off"],
          [1, "when the target is seen"],
          [2, "required"],
        ],
        only: "px4",
      },
      param4: yaw,
    },
    initial: { altitude: 0 },
  },
  {
    ...{ id: 20, name: "Return to launch", group: "flight", position: "none", takenBy: both },
    parameters: {},
  },
  {
    ...{ id: 17, name: "Loiter without end", group: "flight", position: "path", takenBy: both },
    parameters: { param3: radius, param4: yaw },
  },
  {
    ...{ id: 19, name: "Loiter for a time", group: "flight", position: "path", takenBy: both },
    parameters: {
      param1: { label: "Time", unit: "s", min: 0, initial: 10 },
      param2: heading,
      param3: { ...radius, only: "px4" },
      param4: exit,
    },
  },
  {
    ...{ id: 18, name: "Loiter turns", group: "flight", position: "path", takenBy: ardupilot },
    parameters: {
      param1: { label: "Turns", min: 0, max: 255, initial: 1 },
      param3: { ...radius, initial: 20 },
      param4: exit,
    },
  },
  {
    ...{ id: 31, name: "Loiter to a height", group: "flight", position: "path", takenBy: both },
    parameters: { param1: heading, param2: radius, param4: exit },
  },
  {
    ...{ id: 93, name: "Delay", group: "flight", position: "none", takenBy: both },
    parameters: {
      param1: { label: "Delay", unit: "s", min: -1, initial: 10 },
      param2: { label: "Until hour (UTC)", min: -1, max: 23, isWhole: true, initial: -1 },
      param3: { label: "Until minute", min: -1, max: 59, isWhole: true, initial: -1 },
      param4: { label: "Until second", min: -1, max: 59, isWhole: true, initial: -1 },
    },
  },
  {
    ...{ id: 94, name: "Place the payload", group: "flight", position: "path", takenBy: ardupilot },
    parameters: { param1: { label: "Largest descent", unit: "m", min: 0 } },
  },
  {
    ...{
      id: 92,
      name: "Guided by a companion computer",
      group: "flight",
      position: "none",
      takenBy: ardupilot,
    },
    parameters: {
      param1: {
        label: "Guided",
        options: [
          [0, "off"],
          [1, "on"],
        ],
        initial: 1,
      },
    },
  },
  {
    ...{ id: 84, name: "VTOL take off", group: "vtol", position: "path", takenBy: both },
    parameters: { param4: yaw },
  },
  {
    ...{ id: 85, name: "VTOL land", group: "vtol", position: "path", takenBy: both },
    parameters: { param4: yaw },
    initial: { altitude: 0 },
  },
  {
    ...{ id: 3000, name: "VTOL transition", group: "vtol", position: "none", takenBy: both },
    parameters: {
      param1: {
        label: "To",
        options: [
          [3, "hover"],
          [4, "forward flight"],
        ],
        initial: 4,
      },
    },
  },
];
