import type { TelemetryMessage } from "../../link";
import type { common } from "../wire/messages";

/** VFR_HUD as it is: m/s, degrees, percent, metres above mean sea level. */
export const toHud = (hud: common.VfrHud): TelemetryMessage => ({
  type: "hud",
  data: {
    airspeed: hud.airspeed,
    groundspeed: hud.groundspeed,
    heading: hud.heading,
    throttle: hud.throttle,
    altitude: hud.alt,
    climb: hud.climb,
  },
});
