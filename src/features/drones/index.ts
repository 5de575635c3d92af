export { droneFor } from "./drone-access";
export { DroneEvents } from "./drone-events";
export { type Drone, type DroneType, dronesOf, findDrone, findDroneByIp } from "./drones.store";
export { linkKey, linkTarget } from "./link-target";
