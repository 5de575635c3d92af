interface Basic {
  readonly size: number;
  write(to: Buffer, at: number, value: number): void;
}

/** The basic types of ULog that are used below (docs.px4.io, "ULog File Format"). */
const TYPES = {
  uint64_t: { size: 8, write: (to, at, value) => to.writeBigUInt64LE(BigInt(Math.round(value)), at) },
  double: { size: 8, write: (to, at, value) => to.writeDoubleLE(value, at) },
  uint32_t: { size: 4, write: (to, at, value) => to.writeUInt32LE(value, at) },
  int32_t: { size: 4, write: (to, at, value) => to.writeInt32LE(value, at) },
  float: { size: 4, write: (to, at, value) => to.writeFloatLE(value, at) },
  uint16_t: { size: 2, write: (to, at, value) => to.writeUInt16LE(value, at) },
  uint8_t: { size: 1, write: (to, at, value) => to.writeUInt8(value, at) },
  bool: { size: 1, write: (to, at, value) => to.writeUInt8(value, at) },
} as const satisfies Record<string, Basic>;

type BasicType = keyof typeof TYPES;
/** `float`, `float[14]`. */
export type FieldType = BasicType | `${BasicType}[${number}]`;
export type FieldValue = number | boolean | readonly number[];

/**
 * The topics that a simulated vehicle logs, as PX4 1.18 defines them: name → its fields in PX4's order, without those that
 * nothing is simulated of. Each begins with its `timestamp`.
 */
export const TOPICS = {
  vehicle_status: {
    armed_time: "uint64_t",
    arming_state: "uint8_t",
    nav_state: "uint8_t",
    failsafe: "bool",
    system_id: "uint8_t",
    component_id: "uint8_t",
  },
  home_position: {
    lat: "double",
    lon: "double",
    alt: "float",
    x: "float",
    y: "float",
    z: "float",
    valid_alt: "bool",
    valid_hpos: "bool",
    valid_lpos: "bool",
  },
  vehicle_global_position: {
    timestamp_sample: "uint64_t",
    lat: "double",
    lon: "double",
    alt: "float",
    lat_lon_valid: "bool",
    alt_valid: "bool",
  },
  vehicle_local_position: {
    timestamp_sample: "uint64_t",
    x: "float",
    y: "float",
    z: "float",
    vx: "float",
    vy: "float",
    vz: "float",
    ax: "float",
    ay: "float",
    az: "float",
    heading: "float",
    xy_valid: "bool",
    z_valid: "bool",
    v_xy_valid: "bool",
    v_z_valid: "bool",
  },
  vehicle_gps_position: {
    timestamp_sample: "uint64_t",
    latitude_deg: "double",
    longitude_deg: "double",
    altitude_msl_m: "double",
    time_utc_usec: "uint64_t",
    hdop: "float",
    vel_m_s: "float",
    vel_n_m_s: "float",
    vel_e_m_s: "float",
    vel_d_m_s: "float",
    cog_rad: "float",
    fix_type: "uint8_t",
    vel_ned_valid: "bool",
    satellites_used: "uint8_t",
  },
  battery_status: {
    voltage_v: "float",
    current_a: "float",
    discharged_mah: "float",
    remaining: "float",
    voltage_cell_v: "float[14]",
    capacity: "uint16_t",
    connected: "bool",
    cell_count: "uint8_t",
    id: "uint8_t",
  },
  vehicle_imu_status: {
    accel_clipping: "uint32_t[3]",
    accel_vibration_metric: "float",
  },
} as const satisfies Record<string, Readonly<Record<string, FieldType>>>;

export type Topic = keyof typeof TOPICS;

function parse(type: FieldType) {
  const [basic, count] = type.split(/[[\]]/) as [BasicType, string | undefined];
  return { ...TYPES[basic], count: Number(count ?? 1) };
}

export function sizeOf(type: FieldType): number {
  const { size, count } = parse(type);
  return size * count;
}

/** An array's elements that have no value are 0. */
export function encode(type: FieldType, value: FieldValue): Buffer {
  const { size, count, write } = parse(type);
  const values = Array.isArray(value) ? value : [Number(value)];
  const bytes = Buffer.alloc(size * count);
  for (let index = 0; index < count; index++) write(bytes, index * size, values[index] ?? 0);
  return bytes;
}
