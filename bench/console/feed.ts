import type { components } from "../../src/client/api-types";

export type DroneState = components["schemas"]["DroneState"];
type Drone = components["schemas"]["Drone"];

/** As the console lists it. */
export const droneOf = (id: number): Drone => ({
  ...{ id, user_id: 1, name: `Copter ${id}`, type: "physical", vehicle_type: "copter" },
  ...{ mission_id: null, ip: null, port: 5001, link: "mavlink", link_host: null, video_room_token: null },
  ...{ created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z" },
});

/**
 * A drone of a formation in its so-manieth tenth of a second: it says its position ten times a second, and the rest once.
 * The first drone's mode carries when it was said: milliseconds of the day.
 */
export function stateOf(id: number, tenth: number): DroneState {
  const angle = (tenth + id) / 20;
  const second = Math.floor((tenth + id) / 10);
  return {
    drone_id: id,
    link: { up: true, age_ms: 0 },
    armed: true,
    mode: id === 1 ? `T${Date.now() % 86_400_000}` : "AUTO",
    position: {
      latitude: 47.4 + Math.floor(id / 25) * 0.001 + Math.sin(angle) * 0.0003,
      longitude: 8.53 + (id % 25) * 0.0015 + Math.cos(angle) * 0.0003,
      altitude: 520 + (tenth % 50) / 10,
      relative_altitude: 30 + (tenth % 50) / 10,
      heading: (tenth * 3 + id) % 360,
      age_ms: 0,
    },
    battery: { voltage: 12.1, remaining: 80 - (second % 40) },
    mission: { item: 1 + (second % 12), items: 12, state: "flying" },
  };
}
