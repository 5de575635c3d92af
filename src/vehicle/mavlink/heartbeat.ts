import type { Channel } from "./wire/channel";
import { build } from "./wire/codec";
import { minimal } from "./wire/messages";

const HEARTBEAT_MS = 1000;
/** The links' heartbeats are spread over the second. */
const SLOTS = 20;
/** MAV_TYPE_GCS, MAV_AUTOPILOT_INVALID, MAV_STATE_ACTIVE, and the version every MAVLink 2 sender names. */
const GROUND_STATION = { type: 6, autopilot: 8, systemStatus: 4, mavlinkVersion: 3 };

/**
 * Our own heartbeat, once a second while the link is open.
 *
 * Its effect on the vehicle's ground station failsafe: ArduPilot counts only the station whose id is in
 * SYSID_MYGCS (MAV_GCS_SYSID), 255 as delivered, so from our own system id it neither arms nor masks that
 * failsafe. PX4 counts a MAV_TYPE_GCS from any other system: it refuses to arm without one when NAV_DLL_ACT is
 * set, and its data link loss means that every station is gone, ours included. The heartbeat stops with the
 * link, or with its last user and watcher where the link is kept for its record alone: a vehicle that nobody here
 * uses or watches depends on its pilot's link alone again.
 *
 * Returns the function that stops and resumes them.
 */
export function sendHeartbeats(channel: Channel): (on: boolean) => void {
  const send = () => channel.send(build(minimal.Heartbeat, GROUND_STATION));
  let stop: (() => void) | undefined;
  const set = (on: boolean) => {
    if (on === (stop !== undefined)) return;
    stop?.();
    stop = on ? schedule.add(send) : undefined;
    if (on) send();
  };
  set(true);
  channel.onClose(() => stop?.());
  return set;
}

/** Calls each function once a second, all by one timer. */
class Schedule {
  private readonly slots = Array.from({ length: SLOTS }, () => new Set<() => void>());
  private now = 0;
  private timer: NodeJS.Timeout | undefined;

  /** Returns the function that ends it. The first call comes after almost a second. */
  add(call: () => void): () => void {
    const slot = this.slots[this.now] as Set<() => void>;
    slot.add(call);
    this.timer ??= setInterval(() => this.tick(), HEARTBEAT_MS / SLOTS);
    return () => {
      slot.delete(call);
      if (this.slots.some(({ size }) => size > 0)) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  private tick(): void {
    this.now = (this.now + 1) % SLOTS;
    for (const call of this.slots[this.now] as Set<() => void>) call();
  }
}

const schedule = new Schedule();

/** Closes the channel when the vehicle sends no heartbeat for so long, whatever TCP reports. */
export function closeWithoutHeartbeat(channel: Channel, timeoutMs: number): void {
  const close = () => channel.close(`no heartbeat for ${Math.round(timeoutMs / 1000)} s`);
  const timer = setTimeout(close, timeoutMs);
  channel.on(minimal.Heartbeat, () => timer.refresh());
  channel.onClose(() => clearTimeout(timer));
}
