import { duration } from "../../format/time";
import { NO_VALUE, percent, voltage } from "../../format/units";
import type { DroneState } from "../../live/live";
import { strings } from "../../strings";
import { type DroneStatus, isLostInFlight } from "./drone-status";
import type { LinkAttempt } from "./kept-links";

const text = strings.fleet;

/** What the list and the panel say of a drone's link. */
export function statusText(status: DroneStatus, attempt: LinkAttempt | undefined): string {
  const { link, activity, age } = status;
  switch (link) {
    case "online":
      return text.activities[activity];
    case "silent":
      return text.status.silent(text.activities[activity], duration(age));
    default:
      if (isLostInFlight(status)) return text.status.lostInFlight(duration(age));
      if (attempt?.state === "connecting") return text.status.connecting;
      return link === "unheard" ? unheardText(attempt) : text.status.offline(duration(age));
  }
}

const unheardText = (attempt: LinkAttempt | undefined): string =>
  attempt?.state === "refused" ? text.status.noAnswer : text.status.unheard;

/** `83 %`, or the voltage where the vehicle does not estimate how much is left. */
export const batteryText = (battery: DroneState["battery"] | undefined): string =>
  battery?.remaining === null ? voltage(battery.voltage) : percent(battery?.remaining);

/** ` · AUTO · item 3 of 12`: what the list says behind the state. Empty when nothing is known. */
export function doingText(state: DroneState | undefined): string {
  const { mode = null, mission = null } = state ?? {};
  const item = isUnderWay(mission) ? text.item(missionText(mission)) : null;
  return [mode, item].map((part) => (part ? ` · ${part}` : "")).join("");
}

const isUnderWay = (mission: DroneState["mission"]): boolean =>
  mission?.state === "flying" || mission?.state === "paused";

/** `3 of 12`, or what state the mission is in. */
export function missionText(mission: DroneState["mission"] | undefined): string {
  if (!mission) return NO_VALUE;
  const { item, items, state } = mission;
  if (!isUnderWay(mission) || item === null) return text.values.missionStates[state];
  return text.values.item(item, items === null ? NO_VALUE : String(items));
}
