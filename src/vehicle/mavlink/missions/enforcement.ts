import type { FenceUpload, Param, VehicleIdentity } from "../../link";
import type { Params } from "../params/params";

type Vehicle = Pick<VehicleIdentity, "autopilot" | "kind">;

const NAMES = {
  ardupilot: ["FENCE_ENABLE", "FENCE_AUTOENABLE", "FENCE_ACTION", "FENCE_TYPE"],
  px4: ["GF_ACTION"],
} as const;

/** FENCE_TYPE bit: uploaded polygons and circles (the others are altitude and a circle around home). */
const UPLOADED_SHAPES = 4;
/** GF_ACTION and FENCE_ACTION below this warn or report and leave the flight alone. */
const PX4_FIRST_ACTION = 2;
const ARDUPILOT_FIRST_ACTION = 1;

/** FENCE_AUTOENABLE: 1 and 2 enable the fence at the end of a takeoff, which rovers have not; 3 at arming. */
const FIRST_AUTO_ENABLE = { copter: 1, rover: 3 } as const;

/**
 * Whether the vehicle will act on an uploaded fence: by its parameters, and by what it said of the fence after the
 * upload. The upload stands whatever the parameters are, so one that cannot be read is left out.
 */
export async function enforcementOf(
  params: Params,
  vehicle: Vehicle,
  items: number,
  warnings: readonly string[],
): Promise<FenceUpload["enforcement"]> {
  const answers = await Promise.allSettled(NAMES[vehicle.autopilot].map((name) => params.readParams([name])));
  const read = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const isIgnored = warnings.some((text) => /fence/i.test(text) && /invalid|reject|fail/i.test(text));
  return { active: items > 0 && acts(read, vehicle) && !isIgnored, params: read };
}

function acts(params: readonly Param[], { autopilot, kind }: Vehicle): boolean {
  const value = (name: string) => params.find(({ param_id }) => param_id === name)?.value;
  if (autopilot === "px4") return (value("GF_ACTION") ?? 0) >= PX4_FIRST_ACTION;
  const isEnabled =
    value("FENCE_ENABLE") === 1 || (value("FENCE_AUTOENABLE") ?? 0) >= FIRST_AUTO_ENABLE[kind];
  const type = value("FENCE_TYPE") ?? UPLOADED_SHAPES;
  return (
    isEnabled && (value("FENCE_ACTION") ?? 0) >= ARDUPILOT_FIRST_ACTION && (type & UPLOADED_SHAPES) !== 0
  );
}
