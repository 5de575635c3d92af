/** ERR.Subsys (ArduPilot, libraries/AP_Logger/LogErrorSubsystem). */
const SUBSYSTEMS: Readonly<Record<number, string>> = {
  1: "Main",
  2: "Radio",
  3: "Compass",
  4: "Optical flow",
  5: "Radio failsafe",
  6: "Battery failsafe",
  7: "GPS failsafe",
  8: "Ground station failsafe",
  9: "Fence failsafe",
  10: "Flight mode change",
  11: "GPS",
  12: "Crash check",
  13: "Flip",
  14: "Autotune",
  15: "Parachute",
  16: "EKF check",
  17: "EKF failsafe",
  18: "Barometer",
  19: "CPU watchdog",
  20: "ADS-B failsafe",
  21: "Terrain data",
  22: "Navigation",
  23: "Terrain failsafe",
  24: "EKF primary change",
  25: "Thrust loss check",
  26: "Sensor failsafe",
  27: "Leak failsafe",
  28: "Pilot input",
  29: "Vibration failsafe",
  30: "Internal error",
  31: "Dead reckoning failsafe",
};

/** An ERR message in words. Code 0 reports the end of an error. */
export function describeError(
  subsystem: number,
  code: number,
): { severity: "error" | "failsafe"; text: string } {
  const name = SUBSYSTEMS[subsystem] ?? `Subsystem ${subsystem}`;
  const severity = name.includes("failsafe") ? "failsafe" : "error";
  return { severity, text: code === 1 ? name : `${name} (code ${code})` };
}
