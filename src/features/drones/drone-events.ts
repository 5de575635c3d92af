import type { Logger } from "../../platform/process/log";
import type { Drone } from "./drones.store";

type Listener = (drone: Drone) => void;
type Event = "granted" | "revoked" | "redirected";

/** Changes of drones that other features of this process follow. Published after the change is committed. */
export class DroneEvents {
  private readonly listeners = {
    granted: new Set<Listener>(),
    revoked: new Set<Listener>(),
    redirected: new Set<Listener>(),
  };

  constructor(private readonly log: Logger) {}

  /** The drone is new, or has another owner; the listener gets it as it is now, perhaps twice. */
  onDroneGranted = (listener: Listener): (() => void) => this.on("granted", listener);

  /**
   * The drone was deleted or has another owner: close what its former owner has open to it. The listener gets the
   * drone as it was before, perhaps twice. Returns the function that stops listening.
   */
  onDroneRevoked = (listener: Listener): (() => void) => this.on("revoked", listener);

  /** The drone is dialled elsewhere from now on; the listener gets it as it is now. */
  onDroneRedirected = (listener: Listener): (() => void) => this.on("redirected", listener);

  /** A listener that fails neither undoes the change nor keeps the other listeners from it. */
  publish(event: Event, drone: Drone): void {
    for (const listener of this.listeners[event]) {
      try {
        listener(drone);
      } catch (error) {
        this.log.error({ err: error, drone_id: drone.id, event }, "A listener failed on a changed drone");
      }
    }
  }

  private on(event: Event, listener: Listener): () => void {
    this.listeners[event].add(listener);
    return () => this.listeners[event].delete(listener);
  }
}
