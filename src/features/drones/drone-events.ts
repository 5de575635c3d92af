import type { Logger } from "../../platform/process/log";
import type { DroneStanding } from "./drones.store";

type Listener = (drone: DroneStanding) => void;

/** What others in this process must hear about a drone, after it was committed by whoever changed it. */
export class DroneEvents {
  private readonly goneListeners = new Set<Listener>();
  private readonly movedListeners = new Set<Listener>();

  constructor(private readonly log: Logger) {}

  /**
   * It was deleted, or is another user's now: whatever its former owner holds open to it must be closed.
   * The drone is given as it was before. It may be told twice. Returns the function that stops listening.
   */
  onDroneGone(listener: Listener): () => void {
    return subscribe(this.goneListeners, listener);
  }

  /** It is dialled elsewhere from now on; given as it is now. Returns the function that stops listening. */
  onDroneMoved(listener: Listener): () => void {
    return subscribe(this.movedListeners, listener);
  }

  gone(drone: DroneStanding): void {
    this.tell(this.goneListeners, drone);
  }

  moved(drone: DroneStanding): void {
    this.tell(this.movedListeners, drone);
  }

  /** The change is committed: a listener that fails neither undoes it nor keeps the others from hearing. */
  private tell(listeners: ReadonlySet<Listener>, drone: DroneStanding): void {
    for (const listener of listeners) {
      try {
        listener(drone);
      } catch (error) {
        this.log.error({ err: error, drone_id: drone.id }, "a listener to a drone's change failed");
      }
    }
  }
}

function subscribe(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
