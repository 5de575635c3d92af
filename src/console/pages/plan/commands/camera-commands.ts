import type { Command, Parameter } from "./command";

const both = ["ardupilot", "px4"] as const;
const ardupilot = ["ardupilot"] as const;
const px4 = ["px4"] as const;

const camera: Parameter = { min: 0, max: 255, isWhole: true };
const stream: Parameter = { min: 0, isWhole: true };

/** Rows for cameras, and for what they look at. */
export const cameraCommands: readonly Command[] = [
  // DO_SET_ROI_LOCATION
  {
    ...{ id: 195, group: "camera", position: "target", takenBy: both },
    parameters: {},
    initial: { altitude: 0 },
  },
  // DO_SET_ROI
  {
    ...{ id: 201, group: "camera", position: "target", takenBy: ardupilot },
    parameters: {},
    initial: { altitude: 0 },
  },
  // DO_SET_ROI_NONE
  {
    ...{ id: 197, group: "camera", position: "none", takenBy: both },
    parameters: {},
  },
  // DO_MOUNT_CONTROL
  {
    ...{ id: 205, group: "camera", position: "none", takenBy: both },
    parameters: {
      param1: { unit: "°", min: -180, max: 180 },
      param2: { unit: "°", min: -180, max: 180 },
      param3: { unit: "°", min: -360, max: 360 },
      // ArduPilot stores no other mode.
      altitude: { options: [2], initial: 2 },
    },
  },
  // DO_GIMBAL_MANAGER_PITCHYAW
  {
    ...{ id: 1000, group: "camera", position: "none", takenBy: both },
    parameters: {
      param1: { unit: "°", min: -180, max: 180 },
      param2: { unit: "°", min: -360, max: 360 },
      param3: { unit: "°/s" },
      param4: { unit: "°/s" },
    },
  },
  // DO_SET_CAM_TRIGG_DIST
  {
    ...{ id: 206, group: "camera", position: "none", takenBy: both },
    parameters: {
      param1: { unit: "m", min: 0, initial: 10 },
      param2: { unit: "ms", min: 0, only: "px4" },
      param3: { options: [0, 1] },
    },
  },
  // DO_SET_CAM_TRIGG_INTERVAL
  {
    ...{ id: 214, group: "camera", position: "none", takenBy: px4 },
    parameters: { param1: { unit: "ms", min: 0, initial: 1000 } },
  },
  // IMAGE_START_CAPTURE
  {
    ...{ id: 2000, group: "camera", position: "none", takenBy: both },
    parameters: {
      param1: camera,
      param2: { unit: "s", min: 0 },
      param3: { min: 0, isWhole: true, initial: 1 },
    },
  },
  // IMAGE_STOP_CAPTURE
  {
    ...{ id: 2001, group: "camera", position: "none", takenBy: both },
    parameters: { param1: camera },
  },
  // DO_DIGICAM_CONTROL
  {
    ...{ id: 203, group: "camera", position: "none", takenBy: both },
    parameters: {},
    // Its fifth parameter is 1: take one. A whole number is stored as so many 1e-7 degrees.
    initial: { frame: 2, lat: 1e-7 },
  },
  // VIDEO_START_CAPTURE
  {
    ...{ id: 2500, group: "camera", position: "none", takenBy: both },
    parameters: { param1: stream },
  },
  // VIDEO_STOP_CAPTURE
  {
    ...{ id: 2501, group: "camera", position: "none", takenBy: both },
    parameters: { param1: stream },
  },
  // SET_CAMERA_MODE
  {
    ...{ id: 530, group: "camera", position: "none", takenBy: px4 },
    parameters: {
      param1: camera,
      param2: { options: [0, 1, 2] },
    },
  },
  // SET_CAMERA_ZOOM
  {
    ...{ id: 531, group: "camera", position: "none", takenBy: ardupilot },
    parameters: {
      param1: { options: [0, 1, 2, 3], initial: 2 },
      param2: {},
    },
  },
];
