import type { Drone } from "./drones.store";

type Listener = (drone: Drone) => void;

/** What others must hear about a drone, in this process, after it was committed. */
export class DroneEvents {
  private readonly goneListeners = new Set<Listener>();
  private readonly movedListeners = new Set<Listener>();

  /**
   * It was deleted, or is another user's now: whatever its former owner holds open to it must be closed.
   * The drone is given as it was before. Returns the function that stops listening.
   */
  onDroneGone(listener: Listener): () => void {
    this.goneListeners.add(listener);
    return () => this.goneListeners.delete(listener);
  }

  /** It is dialled elsewhere from now on; given as it is now. Returns the function that stops listening. */
  onDroneMoved(listener: Listener): () => void {
    this.movedListeners.add(listener);
    return () => this.movedListeners.delete(listener);
  }

  gone(drone: Drone): void {
    for (const listener of this.goneListeners) listener(drone);
  }

  moved(drone: Drone): void {
    for (const listener of this.movedListeners) listener(drone);
  }
}
