import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { freshFolder } from "../../../testing";
import { endExecution, executionOf, type Flight, startFlight } from "../../../testing/worlds/flights";
import { LoggedCopter } from "../../../testing/worlds/logged-copter";
import type { TestGateway } from "../../../testing/worlds/start-gateway";
import { upload } from "../../../testing/worlds/uploads";

/** Markup in every name that a drone or a user chooses. */
export const HOSTILE = "<img src=x onerror=alert(1)><b>&amp;";

/** The DataFlash log of a simulated copter: up, 72 m away, back and down. */
export function copterLog(): Buffer {
  const copter = new LoggedCopter(freshFolder("copter-logs"));
  copter.fly();
  return readFileSync(copter.logs.at(-1) as string);
}

export const picture = (): Promise<Buffer> =>
  sharp({ create: { width: 640, height: 480, channels: 3, background: "#3a7d44" } })
    .jpeg()
    .toBuffer();

/** Two seconds of a moving test card, H.264. */
export function video(): Buffer {
  const file = join(freshFolder("video"), "video.mp4");
  const card = ["-f", "lavfi", "-i", "testsrc=size=320x180:rate=15:duration=2"];
  execFileSync("ffmpeg", ["-v", "error", ...card, "-pix_fmt", "yuv420p", "-c:v", "libx264", file]);
  return readFileSync(file);
}

/** The plan that was on board: a takeoff, a waypoint and a return. */
const PLAN = [
  [22, 47.397742, 8.545594, 20],
  [16, 47.398281, 8.545062, 20],
  [20, 0, 0, 0],
].map(([command, x_lat, y_long, z_alt]) => ({
  ...{ command, frame: 3, is_current: false, autocontinue: true },
  ...{ param1: 0, param2: 0, param3: 0, param4: 0, x_lat, y_long, z_alt },
}));

/** Makes the log that this flight's drone uploads the one of the flight. */
export async function uploadLog({ drone, id }: Flight, content: Buffer, file_name = "00000001.BIN") {
  const { asset_id } = await upload(drone, { file_name, asset_type: "logs", execution_id: id }, content);
  await drone.post(`/executions/${id}/log`, { asset_id });
}

/** A flight that is over, with its plan, and with the log when there is one. */
export async function endedFlight(gateway: TestGateway, name: string, log?: Buffer): Promise<Flight> {
  const flight = await startFlight(gateway, name);
  const plan = { plan_state: "verified", plan_hash: "hash", plan_items: JSON.stringify(PLAN) };
  await gateway.deps.db("executions").where({ id: flight.id }).update(plan);
  if (log) await uploadLog(flight, log);
  await endExecution(flight.drone, flight.id);
  return flight;
}

export const assetsOf = async (flight: Flight) => (await executionOf(flight, flight.id)).assets;
