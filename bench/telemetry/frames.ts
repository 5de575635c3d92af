const position = {
  latitude: 47.397742,
  longitude: 8.545594,
  altitude: 0,
  status: { status: 0, service: 1 },
  yaw: 123,
};
const imu = {
  orientation: { w: 0.7012345678912345, x: 0.0123456789, y: 0.0234567891, z: 0.7012345678912345 },
  angular_velocity: { x: 0.0112345678, y: -0.0223456789, z: 0.0334567891 },
  linear_acceleration: { x: 0.1176798, y: -0.2059397, z: 9.80665 },
};
const hud = { airspeed: 5.25, groundspeed: 5.125, heading: 123, throttle: 45, altitude: 520.5, climb: 0.25 };
const sensors = Object.fromEntries(
  ["gyro", "accelerometer", "magnetometer", "absolute_pressure", "gps", "battery"].map((name) => [
    name,
    true,
  ]),
);
const system = {
  battery: { voltage: 12.1, current: 10.5, remaining: 80 },
  cpu_load: 25,
  sensors,
  armed: true,
  mode: "GUIDED",
};
const rows = Object.keys(sensors).map((name) => ({ level: 0, name: `sensor: ${name}`, message: "healthy" }));
const diagnostics = { status: [...rows, { level: 0, name: "gps", message: "3D fix, 15 satellites" }] };

/** What the gateway makes of the field's messages, of the same size, for the baselines. */
export const frames = { position, imu, hud, system, diagnostics };
