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
const camera: Parameter = { label: "Camera (0: all)", min: 0, max: 255, isWhole: true };

/** Rows that are carried out on the way, and rows that wait for something. */
export const orderCommands: readonly Command[] = [
  {
    ...{ id: 178, name: "Change speed", group: "order", place: "none", takenBy: both },
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
    ...{ id: 177, name: "Jump", group: "order", place: "none", takenBy: both },
    parameters: { param1: { label: "To row", isRow: true, isWhole: true, min: 1 }, param2: repeats },
  },
  {
    ...{ id: 600, name: "Jump tag", group: "order", place: "none", takenBy: ardupilot },
    parameters: { param1: number("Tag", 1) },
  },
  {
    ...{ id: 601, name: "Jump to a tag", group: "order", place: "none", takenBy: ardupilot },
    parameters: { param1: number("Tag", 1), param2: repeats },
  },
  {
    ...{ id: 189, name: "Start of the landing", group: "order", place: "target", takenBy: both },
    parameters: {},
  },
  {
    ...{ id: 179, name: "Set home", group: "order", place: "target", takenBy: both },
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
    ...{ id: 207, name: "Fence", group: "order", place: "none", takenBy: ardupilot },
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
    ...{ id: 212, name: "Autotune", group: "order", place: "none", takenBy: both },
    parameters: { param1: { label: "Autotune", options: switched, initial: 1 } },
  },
  {
    ...{ id: 112, name: "Wait for a time", group: "condition", place: "none", takenBy: both },
    parameters: { param1: { label: "Time", unit: "s", min: 0, initial: 5 } },
  },
  {
    ...{ id: 114, name: "Wait for a distance", group: "condition", place: "none", takenBy: ardupilot },
    parameters: { param1: { label: "Distance", unit: "m", min: 0, initial: 10 } },
  },
  {
    ...{ id: 115, name: "Turn", group: "condition", place: "none", takenBy: ardupilot },
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
    ...{ id: 195, name: "Look at a position", group: "camera", place: "target", takenBy: both },
    parameters: {},
    initial: { altitude: 0 },
  },
  {
    ...{ id: 201, name: "Look at a position (older)", group: "camera", place: "target", takenBy: both },
    parameters: {},
    initial: { altitude: 0 },
  },
  {
    ...{ id: 197, name: "Look at nothing", group: "camera", place: "none", takenBy: both },
    parameters: {},
  },
  {
    ...{ id: 205, name: "Gimbal", group: "camera", place: "none", takenBy: both },
    parameters: {
      param1: { label: "Pitch", unit: "°", min: -180, max: 180 },
      param2: { label: "Roll", unit: "°", min: -180, max: 180 },
      param3: { label: "Yaw", unit: "°", min: -360, max: 360 },
      altitude: {
        label: "Mode",
        options: [
          [0, "retracted"],
          [1, "neutral"],
          [2, "by these angles"],
          [3, "by the remote control"],
          [4, "at the region of interest"],
        ],
        initial: 2,
      },
    },
  },
  {
    ...{ id: 1000, name: "Gimbal pitch and yaw", group: "camera", place: "none", takenBy: both },
    parameters: {
      param1: { label: "Pitch", unit: "°", min: -180, max: 180 },
      param2: { label: "Yaw", unit: "°", min: -360, max: 360 },
      param3: { label: "Pitch rate", unit: "°/s" },
      param4: { label: "Yaw rate", unit: "°/s" },
    },
  },
  {
    ...{ id: 206, name: "Picture every distance", group: "camera", place: "none", takenBy: both },
    parameters: {
      param1: { label: "Distance (0: off)", unit: "m", min: 0, initial: 10 },
      param2: { label: "Shutter", unit: "ms", min: 0, only: "px4" },
      param3: {
        label: "First picture",
        options: [
          [0, "after the distance"],
          [1, "at once"],
        ],
      },
    },
  },
  {
    ...{ id: 214, name: "Picture every interval", group: "camera", place: "none", takenBy: px4 },
    parameters: { param1: { label: "Interval", unit: "ms", min: 0, initial: 1000 } },
  },
  {
    ...{ id: 2000, name: "Take pictures", group: "camera", place: "none", takenBy: both },
    parameters: {
      param1: camera,
      param2: { label: "Interval", unit: "s", min: 0 },
      param3: { label: "Pictures (0: without end)", min: 0, isWhole: true, initial: 1 },
    },
  },
  {
    ...{ id: 2001, name: "Stop taking pictures", group: "camera", place: "none", takenBy: both },
    parameters: { param1: camera },
  },
  {
    ...{ id: 203, name: "Picture (older)", group: "camera", place: "none", takenBy: both },
    parameters: {},
    // Its fifth parameter is 1: take one. A whole number is stored as so many 1e-7 degrees.
    initial: { frame: 2, lat: 1e-7 },
  },
  {
    ...{ id: 2500, name: "Start the video", group: "camera", place: "none", takenBy: both },
    parameters: { param1: number("Stream (0: all)") },
  },
  {
    ...{ id: 2501, name: "Stop the video", group: "camera", place: "none", takenBy: both },
    parameters: { param1: number("Stream (0: all)") },
  },
  {
    ...{ id: 530, name: "Camera mode", group: "camera", place: "none", takenBy: px4 },
    parameters: {
      param1: camera,
      param2: {
        label: "Mode",
        options: [
          [0, "pictures"],
          [1, "video"],
          [2, "survey"],
        ],
      },
    },
  },
  {
    ...{ id: 531, name: "Zoom", group: "camera", place: "none", takenBy: both },
    parameters: {
      param1: {
        label: "By",
        options: [
          [0, "step"],
          [1, "rate"],
          [2, "share of the range"],
          [3, "focal length"],
        ],
        initial: 2,
      },
      param2: { label: "Zoom" },
    },
  },
  {
    ...{ id: 183, name: "Servo", group: "payload", place: "none", takenBy: ardupilot },
    parameters: {
      param1: number("Servo", 1),
      param2: { label: "Pulse", unit: "µs", min: 0, max: 3000, isWhole: true, initial: 1500 },
    },
  },
  {
    ...{ id: 184, name: "Repeat a servo", group: "payload", place: "none", takenBy: ardupilot },
    parameters: {
      param1: number("Servo", 1),
      param2: { label: "Pulse", unit: "µs", min: 0, max: 3000, isWhole: true, initial: 1500 },
      param3: { label: "Times", min: 1, isWhole: true, initial: 1 },
      param4: { label: "Cycle", unit: "s", min: 0, initial: 1 },
    },
  },
  {
    ...{ id: 187, name: "Actuators", group: "payload", place: "none", takenBy: px4 },
    parameters: { param1: actuator(1), param2: actuator(2), param3: actuator(3), param4: actuator(4) },
  },
  {
    ...{ id: 211, name: "Gripper", group: "payload", place: "none", takenBy: both },
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
    ...{ id: 42_600, name: "Winch", group: "payload", place: "none", takenBy: ardupilot },
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
    ...{ id: 181, name: "Relay", group: "payload", place: "none", takenBy: ardupilot },
    parameters: { param1: number("Relay"), param2: { label: "Setting", options: switched, initial: 1 } },
  },
  {
    ...{ id: 182, name: "Repeat a relay", group: "payload", place: "none", takenBy: ardupilot },
    parameters: {
      param1: number("Relay"),
      param2: { label: "Times", min: 1, isWhole: true, initial: 1 },
      param3: { label: "Cycle", unit: "s", min: 0, initial: 1 },
    },
  },
  {
    ...{ id: 216, name: "Sprayer", group: "payload", place: "none", takenBy: ardupilot },
    parameters: { param1: { label: "Sprayer", options: switched, initial: 1 } },
  },
  {
    ...{ id: 218, name: "Auxiliary function", group: "payload", place: "none", takenBy: ardupilot },
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
    ...{ id: 208, name: "Parachute", group: "payload", place: "none", takenBy: ardupilot },
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
