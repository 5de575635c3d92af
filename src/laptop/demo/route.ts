import { type LatLng, offsetBy } from "../../domain/geo";

/** Metres above home. */
export const flightAltitude = 20;

const corners = [
  { north: 60, east: 0 },
  { north: 60, east: 60 },
  { north: 0, east: 60 },
  { north: 0, east: 12 },
];

/** Bodies of `POST /mission/point`, in order: a square beside home. */
export const missionPoints = (missionId: number, home: LatLng) =>
  corners.map(({ north, east }, index) => ({
    mission_id: missionId,
    ...offsetBy(home, north, east),
    altitude: flightAltitude,
    type: "fly" as const,
    sequence: index + 1,
    label: `Corner ${index + 1}`,
  }));

/** Bodies of `POST /geofence/point`: a wide square around the flight, which the copter must not leave. */
export const fencePoints = (geofenceId: number, home: LatLng) =>
  [
    { north: 200, east: -200 },
    { north: 200, east: 200 },
    { north: -200, east: 200 },
    { north: -200, east: -200 },
  ].map(({ north, east }, index) => ({
    geofence_id: geofenceId,
    ...offsetBy(home, north, east),
    sequence: index + 1,
    // Must not be null in storage; the upload puts the derived fence code in its position.
    command: 5001,
  }));
