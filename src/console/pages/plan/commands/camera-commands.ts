import type { Command, Parameter } from "./command";

const both = ["ardupilot", "px4"] as const;
const ardupilot = ["ardupilot"] as const;
const px4 = ["px4"] as const;

const camera: Parameter = { label: "Camera (0: all)", min: 0, max: 255, isWhole: true };
const stream: Parameter = { label: "Stream (0: all)", min: 0, isWhole: true };

/** Rows for cameras, and for what they look at. */
export const cameraCommands: readonly Command[] = [
  {
    ...{ id: 195, name: "Look at a position", group: "camera", position: "target", takenBy: both },
    parameters: {},
    initial: { altitude: 0 },
  },
  {
    ...{
      id: 201,
      name: "Look at a position (older)",
      group: "camera",
      position: "target",
      takenBy: ardupilot,
    },
    parameters: {},
    initial: { altitude: 0 },
  },
  {
    ...{ id: 197, name: "Look at nothing", group: "camera", position: "none", takenBy: both },
    parameters: {},
  },
  {
    ...{ id: 205, name: "Gimbal", group: "camera", position: "none", takenBy: both },
    parameters: {
      param1: { label: "Pitch", unit: "°", min: -180, max: 180 },
      param2: { label: "Roll", unit: "°", min: -180, max: 180 },
      param3: { label: "Yaw", unit: "°", min: -360, max: 360 },
      // ArduPilot stores no other mode.
      altitude: { label: "Mode", options: [[2, "by these angles"]], initial: 2 },
    },
  },
  {
    ...{ id: 1000, name: "Gimbal pitch and yaw", group: "camera", position: "none", takenBy: both },
    parameters: {
      param1: { label: "Pitch", unit: "°", min: -180, max: 180 },
      param2: { label: "Yaw", unit: "°", min: -360, max: 360 },
      param3: { label: "Pitch rate", unit: "°/s" },
      param4: { label: "Yaw rate", unit: "°/s" },
    },
  },
  {
    ...{ id: 206, name: "Picture every distance", group: "camera", position: "none", takenBy: both },
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
    ...{ id: 214, name: "Picture every interval", group: "camera", position: "none", takenBy: px4 },
    parameters: { param1: { label: "Interval", unit: "ms", min: 0, initial: 1000 } },
  },
  {
    ...{ id: 2000, name: "Take pictures", group: "camera", position: "none", takenBy: both },
    parameters: {
      param1: camera,
      param2: { label: "Interval", unit: "s", min: 0 },
      param3: { label: "Pictures (0: without end)", min: 0, isWhole: true, initial: 1 },
    },
  },
  {
    ...{ id: 2001, name: "Stop taking pictures", group: "camera", position: "none", takenBy: both },
    parameters: { param1: camera },
  },
  {
    ...{ id: 203, name: "Picture (older)", group: "camera", position: "none", takenBy: both },
    parameters: {},
    // Its fifth parameter is 1: take one. A whole number is stored as so many 1e-7 degrees.
    initial: { frame: 2, lat: 1e-7 },
  },
  {
    ...{ id: 2500, name: "Start the video", group: "camera", position: "none", takenBy: both },
    parameters: { param1: stream },
  },
  {
    ...{ id: 2501, name: "Stop the video", group: "camera", position: "none", takenBy: both },
    parameters: { param1: stream },
  },
  {
    ...{ id: 530, name: "Camera mode", group: "camera", position: "none", takenBy: px4 },
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
    ...{ id: 531, name: "Zoom", group: "camera", position: "none", takenBy: ardupilot },
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
];
