import type { Command, Parameter } from "./command";

const both = ["ardupilot", "px4"] as const;
const ardupilot = ["ardupilot"] as const;
const px4 = ["px4"] as const;

const switched: Parameter["options"] = [
  [0, "off"],
  [1, "on"],
];
const number = (label: string, min = 0): Parameter => ({ label, min, isWhole: true, initial: min });
const repeats: Parameter = { label: "Repeats (-1: without end)", min: -1, isWhole: true, initial: 1 };
const actuator = (at: number): Parameter => ({ label: `Actuator ${at}`, min: -1, max: 1 });

/** Rows that are carried out on the way, and rows that wait for something. */
export const orderCommands: readonly Command[] = [
  {
    ...{ id: 178, name: "Change speed", group: "order", position: "none", takenBy: both },
    parameters: {
      param1: {
        label: "Which",
        options: [
          [0, "airspeed"],
          [1, "ground speed"],
          [2, "climb"],
          [3, "descent"],
        ],
        initial: 1,
      },
      param2: { label: "Speed", unit: "m/s", min: -2, initial: 5 },
      param3: { label: "Throttle (-1: as it is)", unit: "%", min: -2, max: 100, initial: -1 },
    },
  },
  {
    ...{ id: 177, name: "Jump", group: "order", position: "none", takenBy: both },
    parameters: { param1: { label: "To row", isRow: true, isWhole: true, min: 1 }, param2: repeats },
  },
  {
    ...{ id: 600, name: "Jump tag", group: "order", position: "none", takenBy: ardupilot },
    parameters: { param1: number("Tag", 1) },
  },
  {
    ...{ id: 601, name: "Jump to a tag", group: "order", position: "none", takenBy: ardupilot },
    parameters: { param1: number("Tag", 1), param2: repeats },
  },
  {
    ...{ id: 189, name: "Start of the landing", group: "order", position: "target", takenBy: both },
    parameters: {},
  },
  {
    ...{ id: 179, name: "Set home", group: "order", position: "target", takenBy: both },
    parameters: {
      param1: {
        label: "To",
        options: [
          [0, "this position"],
          [1, "where the vehicle is"],
        ],
      },
    },
    initial: { altitude: 0 },
  },
  {
    ...{ id: 207, name: "Fence", group: "order", position: "none", takenBy: ardupilot },
    parameters: {
      param1: {
        label: "Fence",
        options: [
          [0, "off"],
          [1, "on"],
          [2, "floor off"],
        ],
        initial: 1,
      },
    },
  },
  {
    ...{ id: 212, name: "Autotune", group: "order", position: "none", takenBy: both },
    parameters: { param1: { label: "Autotune", options: switched, initial: 1 } },
  },
  {
    ...{ id: 112, name: "Wait for a time", group: "condition", position: "none", takenBy: both },
    parameters: { param1: { label: "Time", unit: "s", min: 0, initial: 5 } },
  },
  {
    ...{ id: 114, name: "Wait for a distance", group: "condition", position: "none", takenBy: ardupilot },
    parameters: { param1: { label: "Distance", unit: "m", min: 0, initial: 10 } },
  },
  {
    ...{ id: 115, name: "Turn", group: "condition", position: "none", takenBy: ardupilot },
    parameters: {
      param1: { label: "Angle", unit: "°", min: 0, max: 360 },
      param2: { label: "Rate", unit: "°/s", min: 0 },
      param3: {
        label: "Direction",
        options: [
          [-1, "anticlockwise"],
          [0, "the shorter way"],
          [1, "clockwise"],
        ],
      },
      param4: {
        label: "From",
        options: [
          [0, "north"],
          [1, "the present yaw"],
        ],
      },
    },
  },
  {
    ...{ id: 183, name: "Servo", group: "payload", position: "none", takenBy: ardupilot },
    parameters: {
      param1: number("Servo", 1),
      param2: { label: "Pulse", unit: "µs", min: 0, max: 3000, isWhole: true, initial: 1500 },
    },
  },
  {
    ...{ id: 184, name: "Repeat a servo", group: "payload", position: "none", takenBy: ardupilot },
    parameters: {
      param1: number("Servo", 1),
      param2: { label: "Pulse", unit: "µs", min: 0, max: 3000, isWhole: true, initial: 1500 },
      param3: { label: "Times", min: 1, isWhole: true, initial: 1 },
      param4: { label: "Cycle", unit: "s", min: 0, initial: 1 },
    },
  },
  {
    ...{ id: 187, name: "Actuators", group: "payload", position: "none", takenBy: px4 },
    parameters: { param1: actuator(1), param2: actuator(2), param3: actuator(3), param4: actuator(4) },
  },
  {
    ...{ id: 211, name: "Gripper", group: "payload", position: "none", takenBy: both },
    parameters: {
      param1: number("Gripper", 1),
      param2: {
        label: "Action",
        options: [
          [0, "release"],
          [1, "grab"],
        ],
      },
    },
  },
  {
    ...{ id: 42_600, name: "Winch", group: "payload", position: "none", takenBy: both },
    parameters: {
      param1: number("Winch", 1),
      param2: {
        label: "Action",
        options: [
          [0, "relax"],
          [1, "release a length"],
          [2, "release at a rate"],
        ],
        initial: 1,
      },
      param3: { label: "Length (below 0: wind)", unit: "m" },
      param4: { label: "Rate (below 0: wind)", unit: "m/s" },
    },
  },
  {
    ...{ id: 181, name: "Relay", group: "payload", position: "none", takenBy: ardupilot },
    parameters: { param1: number("Relay"), param2: { label: "Setting", options: switched, initial: 1 } },
  },
  {
    ...{ id: 182, name: "Repeat a relay", group: "payload", position: "none", takenBy: ardupilot },
    parameters: {
      param1: number("Relay"),
      param2: { label: "Times", min: 1, isWhole: true, initial: 1 },
      param3: { label: "Cycle", unit: "s", min: 0, initial: 1 },
    },
  },
  {
    ...{ id: 216, name: "Sprayer", group: "payload", position: "none", takenBy: ardupilot },
    parameters: { param1: { label: "Sprayer", options: switched, initial: 1 } },
  },
  {
    ...{ id: 218, name: "Auxiliary function", group: "payload", position: "none", takenBy: ardupilot },
    parameters: {
      param1: number("Function"),
      param2: {
        label: "Switch",
        options: [
          [0, "low"],
          [1, "middle"],
          [2, "high"],
        ],
        initial: 2,
      },
    },
  },
  {
    ...{ id: 208, name: "Parachute", group: "payload", position: "none", takenBy: ardupilot },
    parameters: {
      param1: {
        label: "Parachute",
        options: [
          [0, "disable"],
          [1, "enable"],
          [2, "release"],
        ],
        initial: 1,
      },
    },
  },
];
