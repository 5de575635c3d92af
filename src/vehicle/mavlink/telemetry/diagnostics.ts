import type { DiagnosticRow, TelemetryMessage } from "../../telemetry-messages";
import type { ardupilotmega, common } from "../wire/messages";
import { batteryVoltage, sensorHealth } from "./system";

const OK = 0;
const WARNING = 1;
const ERROR = 2;

/** The messages behind the diagnostics; a message that has not come makes no row. */
export interface Health {
  readonly status: common.SysStatus;
  readonly gps?: Pick<common.GpsRawInt, "fixType" | "satellitesVisible" | "eph">;
  /** ArduPilot. */
  readonly ekf?: ardupilotmega.EkfStatusReport;
  /** PX4. */
  readonly estimator?: common.EstimatorStatus;
}

export function toDiagnostics(health: Health): TelemetryMessage {
  const estimator = estimatorOf(health);
  const rows = [
    ...sensorRows(health.status),
    batteryRow(health.status),
    ...(health.gps ? [gpsRow(health.gps)] : []),
    ...(estimator ? [estimator] : []),
  ];
  return { type: "diagnostics", data: { status: rows } };
}

/** Undefined before the vehicle has reported it. */
export function estimatorOf({ ekf, estimator }: Omit<Health, "status">): DiagnosticRow | undefined {
  if (ekf) return ekfRow(ekf);
  return estimator && estimatorRow(estimator);
}

const sensorRows = (status: common.SysStatus): DiagnosticRow[] =>
  Object.entries(sensorHealth(status)).map(([name, healthy]) => ({
    level: healthy ? OK : ERROR,
    name: `sensor: ${name}`,
    message: healthy ? "healthy" : "unhealthy",
  }));

/** Percent at which most ground stations begin to warn; the vehicle's own failsafe has its own limits. */
const BATTERY_LOW = 30;
const BATTERY_CRITICAL = 15;

export function batteryRow(status: common.SysStatus): DiagnosticRow {
  const { batteryRemaining: percent, voltageBattery } = status;
  const volts = `${batteryVoltage(voltageBattery).toFixed(2)} V`;
  if (percent < 0) return { level: OK, name: "battery", message: volts };
  const level = percent <= BATTERY_CRITICAL ? ERROR : percent <= BATTERY_LOW ? WARNING : OK;
  return { level, name: "battery", message: `${volts}, ${percent} %` };
}

export function gpsRow({ fixType, satellitesVisible, eph }: NonNullable<Health["gps"]>): DiagnosticRow {
  const satellites = satellitesVisible === 255 ? "" : `, ${satellitesVisible} satellites`;
  const hdop = eph === 0xffff ? "" : `, HDOP ${(eph / 100).toFixed(2)}`;
  if (fixType < 2) return { level: ERROR, name: "gps", message: `no fix${satellites}` };
  if (fixType === 2) return { level: WARNING, name: "gps", message: `2D fix${satellites}${hdop}` };
  return { level: OK, name: "gps", message: `3D fix${satellites}${hdop}` };
}

/** EKF_STATUS_FLAGS. */
const ATTITUDE = 1;
const HORIZONTAL_VELOCITY = 2;
const HORIZONTAL_POSITION = 8 | 16;
const VERTICAL_POSITION = 32;
const UNINITIALISED = 1024;
/** ArduPilot's own failsafe acts at 0.8 (FS_EKF_THRESH) by default. */
const VARIANCE_HIGH = 0.5;
const VARIANCE_TOO_HIGH = 0.8;

export function ekfRow(ekf: ardupilotmega.EkfStatusReport): DiagnosticRow {
  const worst = Math.max(
    ekf.velocityVariance,
    ekf.posHorizVariance,
    ekf.posVertVariance,
    ekf.compassVariance,
  );
  const missing = [
    [ATTITUDE, "attitude"],
    [HORIZONTAL_VELOCITY, "velocity"],
    [HORIZONTAL_POSITION, "position"],
    [VERTICAL_POSITION, "altitude"],
  ].flatMap(([bit, what]) => ((ekf.flags & Number(bit)) === 0 ? [String(what)] : []));
  const row = (level: DiagnosticRow["level"], message: string): DiagnosticRow => ({
    level,
    name: "estimator",
    message,
  });
  if ((ekf.flags & UNINITIALISED) !== 0) return row(ERROR, "not initialised");
  if (missing.length > 0) return row(ERROR, `no estimate of ${missing.join(", ")}`);
  const message = `worst variance ${worst.toFixed(2)}`;
  return row(worst >= VARIANCE_TOO_HIGH ? ERROR : worst >= VARIANCE_HIGH ? WARNING : OK, message);
}

/** ESTIMATOR_STATUS test ratios: above 1 the estimator rejects the measurement. */
export function estimatorRow(estimator: common.EstimatorStatus): DiagnosticRow {
  const worst = Math.max(
    ...[estimator.velRatio, estimator.posHorizRatio, estimator.posVertRatio, estimator.magRatio].filter(
      Number.isFinite,
    ),
    0,
  );
  const level = worst > 1 ? ERROR : worst > 0.5 ? WARNING : OK;
  return { level, name: "estimator", message: `worst test ratio ${worst.toFixed(2)}` };
}
