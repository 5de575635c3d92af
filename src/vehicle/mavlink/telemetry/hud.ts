import type { TelemetryMessage } from "../../telemetry-messages";
import type { common } from "../wire/messages";

/** VFR_HUD as it is: m/s, degrees, percent, metres above mean sea level. PX4 without an airspeed sensor sends NaN. */
export const toHud = (hud: common.VfrHud): TelemetryMessage => ({
  type: "hud",
  data: {
    airspeed: Number.isNaN(hud.airspeed) ? null : hud.airspeed,
    groundspeed: hud.groundspeed,
    heading: hud.heading,
    throttle: hud.throttle,
    altitude: hud.alt,
    climb: hud.climb,
  },
});
