type Setting = readonly [name: string, value: number];

/** What the orders name. */
export interface Stored {
  readonly mission: number;
  readonly fence: number;
  readonly there: { readonly lat: number; readonly lng: number };
  readonly params: readonly [Setting, Setting];
  readonly mode: string;
}

/** Each order of the table; those that leave the state as it is first. */
export const ORDERS_IN_STATES: readonly (readonly [
  path: string,
  body: (plans: Stored) => Record<string, unknown>,
])[] = [
  ["set_param", ({ params: [[param_id, value]] }) => ({ param_id, value })],
  ["set_params", ({ params }) => ({ params: Object.fromEntries(params) })],
  ["push_geofence", ({ fence }) => ({ geofence_id: fence })],
  ["sync_geofences", () => ({})],
  ["clear_fence", () => ({})],
  ["push_mission", ({ mission }) => ({ mission_id: mission })],
  ["motortest", () => ({ motor_id: 1, percentage: 6 })],
  ["takeoff", () => ({ altitude: 12 })],
  ["start_mission", () => ({ takeoff_altitude: 12 })],
  ["arm", () => ({})],
  ["arm_drone", () => ({})],
  ["disarm_drone", () => ({})],
  ["move", () => ({ x: 30, y: -10, z: 20 })],
  ["goto_gps_location", ({ there }) => ({ ...there, altitude: 18 })],
  ["guided", () => ({})],
  ["rtl", () => ({})],
  ["set_mode", ({ mode }) => ({ mode_info: { custom_mode: mode } })],
  ["land", () => ({})],
];
