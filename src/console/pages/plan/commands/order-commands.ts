import type { Command, Parameter } from "./command";

const both = ["ardupilot", "px4"] as const;
const ardupilot = ["ardupilot"] as const;
const px4 = ["px4"] as const;

const switched: Parameter["options"] = [0, 1];
const number = (min = 0): Parameter => ({ min, isWhole: true, initial: min });
const repeats: Parameter = { min: -1, isWhole: true, initial: 1 };
const actuator: Parameter = { min: -1, max: 1 };

/** Rows that are carried out on the way, and rows that wait for something. */
export const orderCommands: readonly Command[] = [
  // DO_CHANGE_SPEED
  {
    ...{ id: 178, group: "order", position: "none", takenBy: both },
    parameters: {
      param1: { options: [0, 1, 2, 3], initial: 1 },
      param2: { unit: "m/s", min: -2, initial: 5 },
      param3: { unit: "%", min: -2, max: 100, initial: -1 },
    },
  },
  // DO_JUMP
  {
    ...{ id: 177, group: "order", position: "none", takenBy: both },
    parameters: { param1: { isRow: true, isWhole: true, min: 1 }, param2: repeats },
  },
  // JUMP_TAG
  {
    ...{ id: 600, group: "order", position: "none", takenBy: ardupilot },
    parameters: { param1: number(1) },
  },
  // DO_JUMP_TAG
  {
    ...{ id: 601, group: "order", position: "none", takenBy: ardupilot },
    parameters: { param1: number(1), param2: repeats },
  },
  // DO_LAND_START
  {
    ...{ id: 189, group: "order", position: "target", takenBy: both },
    parameters: {},
  },
  // DO_SET_HOME
  {
    ...{ id: 179, group: "order", position: "target", takenBy: both },
    parameters: { param1: { options: [0, 1] } },
    initial: { altitude: 0 },
  },
  // DO_FENCE_ENABLE
  {
    ...{ id: 207, group: "order", position: "none", takenBy: ardupilot },
    parameters: { param1: { options: [0, 1, 2], initial: 1 } },
  },
  // DO_AUTOTUNE_ENABLE
  {
    ...{ id: 212, group: "order", position: "none", takenBy: both },
    parameters: { param1: { options: switched, initial: 1 } },
  },
  // CONDITION_DELAY
  {
    ...{ id: 112, group: "condition", position: "none", takenBy: both },
    parameters: { param1: { unit: "s", min: 0, initial: 5 } },
  },
  // CONDITION_DISTANCE
  {
    ...{ id: 114, group: "condition", position: "none", takenBy: ardupilot },
    parameters: { param1: { unit: "m", min: 0, initial: 10 } },
  },
  // CONDITION_YAW
  {
    ...{ id: 115, group: "condition", position: "none", takenBy: ardupilot },
    parameters: {
      param1: { unit: "°", min: 0, max: 360 },
      param2: { unit: "°/s", min: 0 },
      param3: { options: [-1, 0, 1] },
      param4: { options: [0, 1] },
    },
  },
  // DO_SET_SERVO
  {
    ...{ id: 183, group: "payload", position: "none", takenBy: ardupilot },
    parameters: {
      param1: number(1),
      param2: { unit: "µs", min: 0, max: 3000, isWhole: true, initial: 1500 },
    },
  },
  // DO_REPEAT_SERVO
  {
    ...{ id: 184, group: "payload", position: "none", takenBy: ardupilot },
    parameters: {
      param1: number(1),
      param2: { unit: "µs", min: 0, max: 3000, isWhole: true, initial: 1500 },
      param3: { min: 1, isWhole: true, initial: 1 },
      param4: { unit: "s", min: 0, initial: 1 },
    },
  },
  // DO_SET_ACTUATOR
  {
    ...{ id: 187, group: "payload", position: "none", takenBy: px4 },
    parameters: { param1: actuator, param2: actuator, param3: actuator, param4: actuator },
  },
  // DO_GRIPPER
  {
    ...{ id: 211, group: "payload", position: "none", takenBy: both },
    parameters: {
      param1: number(1),
      param2: { options: [0, 1] },
    },
  },
  // DO_WINCH
  {
    ...{ id: 42_600, group: "payload", position: "none", takenBy: both },
    parameters: {
      param1: number(1),
      param2: { options: [0, 1, 2], initial: 1 },
      param3: { unit: "m" },
      param4: { unit: "m/s" },
    },
  },
  // DO_SET_RELAY
  {
    ...{ id: 181, group: "payload", position: "none", takenBy: ardupilot },
    parameters: { param1: number(), param2: { options: switched, initial: 1 } },
  },
  // DO_REPEAT_RELAY
  {
    ...{ id: 182, group: "payload", position: "none", takenBy: ardupilot },
    parameters: {
      param1: number(),
      param2: { min: 1, isWhole: true, initial: 1 },
      param3: { unit: "s", min: 0, initial: 1 },
    },
  },
  // DO_SPRAYER
  {
    ...{ id: 216, group: "payload", position: "none", takenBy: ardupilot },
    parameters: { param1: { options: switched, initial: 1 } },
  },
  // DO_AUX_FUNCTION
  {
    ...{ id: 218, group: "payload", position: "none", takenBy: ardupilot },
    parameters: {
      param1: number(),
      param2: { options: [0, 1, 2], initial: 2 },
    },
  },
  // DO_PARACHUTE
  {
    ...{ id: 208, group: "payload", position: "none", takenBy: ardupilot },
    parameters: { param1: { options: [0, 1, 2], initial: 1 } },
  },
];
