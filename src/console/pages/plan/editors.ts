/** The editors, which share most of their parts. */
export { default as Geofence } from "./geofence";
export { default as Mission } from "./mission";
