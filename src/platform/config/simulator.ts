import { z } from "zod";
import { integer, port, text } from "./fields";
import { processGroup, simulatorGroup, VEHICLES } from "./shared";

/** Of `latitude,longitude,altitude`, in degrees. */
const isOnEarth = (home: string): boolean => {
  const [latitude = 0, longitude = 0] = home.split(",").map(Number);
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
};

export const simulatorConfig = z.object({
  LOG_LEVEL: processGroup.LOG_LEVEL,
  HOST: processGroup.HOST,
  ...simulatorGroup,
  SIMULATOR_ONBOARD_PORT: port(
    0,
    "Second TCP port of the first vehicle, for the computer on board; each further one takes the next. 0 opens no second port.",
  ),
  SIMULATOR_LOG_FOLDER: text(
    "Where vehicles keep their logs, each in a folder of its number from 1: DataFlash (ArduPilot), ULog (PX4).",
  ),
  SIMULATOR_PX4_COPTERS: integer(VEHICLES, 0, "PX4 copters."),
  SIMULATOR_HOME: z
    .string()
    .regex(/^-?\d+(\.\d+)?,-?\d+(\.\d+)?,-?\d{1,5}(\.\d+)?$/)
    .refine(isOnEarth, "has a latitude beyond 90 or a longitude beyond 180 degrees")
    .default("47.397742,8.545594,488")
    .describe("Home: latitude, longitude in degrees, metres above mean sea level."),
  SIMULATOR_SPEEDUP: z.coerce
    .number()
    .positive()
    .max(100)
    .default(1)
    .describe("How much faster than real time it flies."),
});
