import { linkAge, type Snapshot } from "../../live/live";

/** What is older looks old: seen within 2 s, as `now` ticks twice a second. The feed tells changes once a second. */
export const STALE_MS = 1_500;
/** A vehicle that is silent for so long has no link any more, as the gateway counts it. */
const LOST_MS = 10_000;
/** Percent. */
const LOW_BATTERY = 20;
/** Metres above home that a vehicle on the ground may read. */
const ON_THE_GROUND = 1;

/**
 * unheard: no gateway has heard it. offline: there is no link, because nobody uses the drone or because it does not answer.
 * silent: the link is up, and what is shown is old. online: what is shown is true now.
 */
export type LinkStatus = "unheard" | "offline" | "silent" | "online";

/** As of when it was heard last. */
export type Activity = "unknown" | "disarmed" | "armed" | "flying";

export interface DroneStatus {
  readonly link: LinkStatus;
  readonly activity: Activity;
  /** Milliseconds since it was heard; 0 when it was not. */
  readonly age: number;
}

/** `now`: milliseconds of `performance.now()`. */
export function statusOf(snapshot: Snapshot | undefined, now: number): DroneStatus {
  const age = snapshot && linkAge(snapshot, now);
  if (!snapshot || age === undefined) return { link: "unheard", activity: "unknown", age: 0 };
  return { link: linkOf(snapshot, age), activity: activityOf(snapshot), age };
}

function linkOf({ state }: Snapshot, age: number): LinkStatus {
  if (!state.link?.up || age > LOST_MS) return "offline";
  return age > STALE_MS ? "silent" : "online";
}

function activityOf({ state: { armed, position } }: Snapshot): Activity {
  if (armed === null) return "unknown";
  if (!armed) return "disarmed";
  return (position?.relative_altitude ?? 0) > ON_THE_GROUND ? "flying" : "armed";
}

export const hasLink = ({ link }: DroneStatus): boolean => link === "online" || link === "silent";

/** It was armed when its link was lost. */
export const isLostInFlight = ({ link, activity }: DroneStatus): boolean =>
  link === "offline" && (activity === "armed" || activity === "flying");

export const hasLowBattery = (snapshot: Snapshot | undefined): boolean =>
  (snapshot?.state.battery?.remaining ?? 100) <= LOW_BATTERY;

/** What the list may be narrowed to. */
export const filters = {
  all: () => true,
  online: hasLink,
  flying: (status) => hasLink(status) && status.activity === "flying",
  armed: (status) => hasLink(status) && (status.activity === "armed" || status.activity === "flying"),
  offline: (status) => !hasLink(status),
  lowBattery: (status, snapshot) => hasLink(status) && hasLowBattery(snapshot),
} as const satisfies Readonly<
  Record<string, (status: DroneStatus, snapshot: Snapshot | undefined) => boolean>
>;
export type FilterName = keyof typeof filters;
export const filterNames = Object.keys(filters) as FilterName[];
