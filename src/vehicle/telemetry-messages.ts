import { z } from "zod";

/**
 * The kinds in which telemetry reaches watchers, each with the payload that ROS clients read. The schemas describe the
 * payloads for `/asyncapi.json` and check them in tests; nothing is parsed when a message is sent.
 */

/** MAV_SYS_STATUS_SENSOR bits, by the names under which watchers see them. */
export const SENSORS: Readonly<Record<string, number>> = {
  gyro: 0x1,
  accelerometer: 0x2,
  magnetometer: 0x4,
  absolute_pressure: 0x8,
  differential_pressure: 0x10,
  gps: 0x20,
  optical_flow: 0x40,
  vision_position: 0x80,
  laser_position: 0x100,
  angular_rate_control: 0x400,
  attitude_stabilization: 0x800,
  yaw_position: 0x1000,
  altitude_control: 0x2000,
  position_control: 0x4000,
  motor_outputs: 0x8000,
  rc_receiver: 0x10000,
  gyro_2: 0x20000,
  accelerometer_2: 0x40000,
  magnetometer_2: 0x80000,
  geofence: 0x100000,
  ahrs: 0x200000,
  terrain: 0x400000,
  reverse_motor: 0x800000,
  logging: 0x1000000,
  battery: 0x2000000,
  proximity: 0x4000000,
  satcom: 0x8000000,
  prearm_check: 0x10000000,
  obstacle_avoidance: 0x20000000,
  propulsion: 0x40000000,
};

const latitude = z.number().min(-90).max(90).describe("Degrees north (WGS 84).");
const longitude = z.number().min(-180).max(180).describe("Degrees east (WGS 84).");
const altitude = z.number().describe("Metres above mean sea level.");

/** NavSatFix. */
const GpsFix = z.object({
  latitude,
  longitude,
  altitude,
  status: z
    .object({
      status: z
        .int()
        .min(-1)
        .max(2)
        .describe("-1: no fix, 0: fix, 1: satellite-based augmentation, 2: ground-based augmentation (RTK)."),
      service: z.literal(1).describe("The satellite system: 1, GPS."),
    })
    .describe("The receiver's fix, a NavSatStatus."),
  yaw: z
    .number()
    .min(0)
    .lt(360)
    .optional()
    .describe(
      "Compass degrees of the nose: the heading of `hud`, else of `imu`. Absent without one of the last 2 s.",
    ),
});
export type GpsFix = z.output<typeof GpsFix>;

const RawGpsFix = GpsFix.extend({
  satellites_visible: z.int().min(0).max(254).optional().describe("Satellites. Absent when unknown."),
});
export type RawGpsFix = z.output<typeof RawGpsFix>;

const vector = (unit: string, description: string) =>
  z
    .object({
      x: z.number().describe(`Forward, ${unit}.`),
      y: z.number().describe(`Left, ${unit}.`),
      z: z.number().describe(`Up, ${unit}.`),
    })
    .describe(description);

const component = (of: string) =>
  z.number().describe(`The ${of} of the quaternion, -1 to 1 but for rounding.`);

/** ROS conventions. */
const Imu = z.object({
  orientation: z
    .object({ x: component("x"), y: component("y"), z: component("z"), w: component("w") })
    .describe(
      "From the body (x forward, y left, z up) to the world (x east, y north, z up): a quaternion, w not negative.",
    ),
  angular_velocity: vector("radians per second", "Turn rates about the body's axes."),
  linear_acceleration: vector(
    "metres per second squared",
    "Specific force along the body's axes: 9.8 up at rest.",
  ),
});
export type Imu = z.output<typeof Imu>;

const DiagnosticRow = z
  .object({
    level: z.literal([0, 1, 2, 3]).describe("0: ok, 1: warning, 2: error, 3: stale (diagnostic_msgs)."),
    name: z.string().describe("The part: `battery`, `gps`, `estimator`, or `sensor: <name>`."),
    message: z.string().describe("Text for people, with units: `12.35 V, 76 %`."),
  })
  .describe("One part of the vehicle.");
export type DiagnosticRow = z.output<typeof DiagnosticRow>;

const SystemStatus = z.object({
  battery: z
    .object({
      voltage: z.number().min(0).describe("Volts. 0 when not measured."),
      current: z.number().min(0).nullable().describe("Amperes. null when not measured."),
      remaining: z.number().min(0).max(100).nullable().describe("Percent. null when not estimated."),
      consumed: z
        .number()
        .min(0)
        .nullable()
        .describe("Milliampere hours since power-on. null when not measured."),
      time_remaining: z.int().min(0).nullable().describe("Seconds. null when not estimated."),
      cells: z.array(z.number().min(0).describe("Volts.")).describe("Each cell. Empty when not measured."),
    })
    .describe("The first battery."),
  link: z
    .object({
      quality: z
        .number()
        .min(0)
        .max(100)
        .nullable()
        .describe("Percent of the vehicle's frames that came, of the last 5 to 10 s. null when not known."),
      open: z.int().min(0).describe("Seconds since it was opened."),
    })
    .describe("The gateway's link to the vehicle."),
  wind: z
    .object({
      speed: z.number().min(0).describe("Metres per second."),
      from: z.number().min(0).lt(360).describe("Compass degrees that it comes from."),
    })
    .nullable()
    .describe("The vehicle's estimate (WIND, WIND_COV). null when it has none."),
  estimator: z
    .object({
      level: DiagnosticRow.shape.level,
      message: z.string().describe("Text for people, as in `diagnostics`."),
    })
    .nullable()
    .describe("The position estimator (EKF_STATUS_REPORT, ESTIMATOR_STATUS). null before it reports."),
  cpu_load: z.number().min(0).describe("Load of the autopilot's main loop, percent."),
  sensors: z
    .partialRecord(z.enum(Object.keys(SENSORS)), z.boolean().describe("Whether it is healthy."))
    .describe("Whether each sensor is healthy, for the sensors that are present and enabled."),
  armed: z.boolean().describe("Whether the motors are armed."),
  mode: z
    .string()
    .describe("Flight mode by the autopilot's own name: `LOITER` of ArduPilot, `AUTO.LOITER` of PX4."),
});
export type SystemStatus = z.output<typeof SystemStatus>;

const MissionProgress = z.object({
  item: z.int().min(1).nullable().describe("The current item, from 1. null without a mission."),
  items: z.int().min(0).nullable().describe("Items on board. null when the vehicle does not say."),
  distance: z
    .number()
    .min(0)
    .nullable()
    .describe(
      "Metres over the ground to the current item's position, while the mission is flown. null when not known.",
    ),
  state: z
    .enum(["unknown", "none", "not_started", "flying", "paused", "complete"])
    .describe(
      "By the vehicle's own word. `complete`: it has reached the last item and waits there. A mission that ends in a landing ends with the motors: `system.armed` is false, and the state `not_started` again. `none`: no mission is on board. `unknown`: the vehicle does not say.",
    ),
  writes: z
    .int()
    .min(0)
    .describe(
      "How often the vehicle has ended a transfer of a mission or a fence to it since the gateway's link began. Another number: read again what is on board.",
    ),
});
export type MissionProgress = z.output<typeof MissionProgress>;

/** The payload of each type. */
export const telemetryPayloads = {
  gps: GpsFix.describe("The position of the vehicle's estimator (GLOBAL_POSITION_INT)."),
  raw_gps: RawGpsFix.describe("The position of the GPS receiver alone (GPS_RAW_INT)."),
  home: z
    .object({
      geo: z.object({ latitude, longitude, altitude }).describe("The position of home."),
    })
    .describe("Home: the position to which the vehicle returns (HOME_POSITION)."),
  relalt: z
    .object({ data: z.number().describe("Metres above home; negative below it.") })
    .describe("The height above home (GLOBAL_POSITION_INT)."),
  logs: z
    .object({
      severity: z
        .int()
        .min(0)
        .max(7)
        .describe(
          "MAV_SEVERITY: 0 emergency, 1 alert, 2 critical, 3 error, 4 warning, 5 notice, 6 info, 7 debug.",
        ),
      text: z.string().describe("The whole line. `[…]` stands for a part that was lost."),
    })
    .describe("A status text of the vehicle (STATUSTEXT)."),
  hud: z
    .object({
      airspeed: z.number().nullable().describe("Metres per second. null when not measured."),
      groundspeed: z.number().describe("Metres per second."),
      heading: z.number().min(0).max(360).describe("Compass degrees of the nose."),
      throttle: z.number().min(0).max(100).describe("Percent."),
      altitude,
      climb: z.number().describe("Metres per second; negative while it sinks."),
    })
    .describe("What a head-up display shows (VFR_HUD)."),
  imu: Imu.describe("Attitude, turn rates and acceleration (sensor_msgs/Imu)."),
  diagnostics: z
    .object({
      status: z
        .array(DiagnosticRow)
        .describe("A row for each sensor that is present and enabled, and for each other part that reports."),
    })
    .describe("The state of each part (diagnostic_msgs/DiagnosticArray)."),
  mission: MissionProgress.describe("How far the mission on board is (MISSION_CURRENT)."),
  params: z
    .object({
      received: z.int().min(0).describe("Parameters that have come."),
      total: z.int().min(0).describe("Parameters that the vehicle has."),
    })
    .describe("How much of the vehicle's parameter list has come, while a client reads all of it."),
  system: SystemStatus.describe("Battery, load, sensors, armed state and mode (SYS_STATUS, HEARTBEAT)."),
} as const;

export type TelemetryType = keyof typeof telemetryPayloads;

export type TelemetryMessage = {
  readonly [Type in TelemetryType]: {
    readonly type: Type;
    readonly data: Readonly<z.output<(typeof telemetryPayloads)[Type]>>;
  };
}[TelemetryType];
