import type { Logger } from "../../platform/process/log";
import type { Drone } from "./drones.store";

type Listener = (drone: Drone) => void;

/** Changes of drones that other features of this process follow. Published after the change is committed. */
export class DroneEvents {
  private readonly listeners = { revoked: new Set<Listener>(), redirected: new Set<Listener>() };

  constructor(private readonly log: Logger) {}

  /**
   * The drone was deleted or has another owner: close what its former owner has open to it. The listener gets the
   * drone as it was before, perhaps twice. Returns the function that stops listening.
   */
  onDroneRevoked = (listener: Listener): (() => void) => this.on("revoked", listener);

  /** The drone is dialled elsewhere from now on; the listener gets it as it is now. */
  onDroneRedirected = (listener: Listener): (() => void) => this.on("redirected", listener);

  /** A listener that fails neither undoes the change nor keeps the other listeners from it. */
  publish(event: "revoked" | "redirected", drone: Drone): void {
    for (const listener of this.listeners[event]) {
      try {
        listener(drone);
      } catch (error) {
        this.log.error({ err: error, drone_id: drone.id, event }, "A listener failed on a changed drone");
      }
    }
  }

  private on(event: "revoked" | "redirected", listener: Listener): () => void {
    this.listeners[event].add(listener);
    return () => this.listeners[event].delete(listener);
  }
}
