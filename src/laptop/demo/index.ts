import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { FleetClient } from "../../client/client";
import { defaultStateFolder, readReady } from "../ready";
import { takePicture } from "./camera";
import { Flight } from "./flight";
import { Gamepad } from "./gamepad";
import { flightRecord, lastExecution } from "./record";
import { flightAltitude } from "./route";
import { type Screen, screenOn } from "./screen";
import { Watch } from "./watch";

/**
 * `npm run demo`: fly a stored mission with the simulated copter of a running stack, then by the sticks, speaking
 * HTTP, Socket.IO and to the relay only. Rejects with the reason when any step fails.
 */
export async function runDemo(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { state: { type: "string", default: defaultStateFolder } } });
  const { gateway, relay, user, drone_id } = readReady(resolve(values.state));
  if (!gateway || !relay || !user || drone_id === null)
    throw new Error("The running stack has no drone to fly.");
  const screen = screenOn(process.stdout);
  const client = new FleetClient(gateway);
  const { access_token: token } = await client.logIn(user.username, user.password).catch((cause: Error) => {
    // A stack that was killed leaves its ready.json behind.
    const advice = cause instanceof TypeError ? "Is the stack running? Start it with: npm start" : "";
    throw new Error(`The gateway at ${gateway} does not let us in: ${cause.message}. ${advice}`, { cause });
  });
  screen.step(`Logged in as ${user.username}`);
  const before = await lastExecution(client.api, drone_id);
  const gamepad = await Gamepad.plugIn(relay, drone_id, token);
  const watch = Watch.start(gateway, token, drone_id);
  try {
    const flight = new Flight(client.api, watch, screen, drone_id);
    await fly(flight, gamepad, screen, () => takePicture(client, drone_id));
    screen.step(await flightRecord(client.api, drone_id, before?.id));
    screen.step("The report of the flight is mailed; see the stack's terminal");
  } finally {
    gamepad.unplug();
    screen.settle();
    watch.stop();
  }
}

async function fly(
  flight: Flight,
  gamepad: Gamepad,
  screen: Screen,
  shoot: () => Promise<void>,
): Promise<void> {
  const home = await flight.findHome();
  screen.step(`The copter stands at ${home.lat.toFixed(6)}, ${home.lng.toFixed(6)}`);
  const missionId = await flight.storeMission("Demo square", home);
  screen.step(`Stored mission ${missionId}`);
  const geofenceId = await flight.storeGeofence("Demo fence", home);
  screen.step(`Stored geofence ${geofenceId}`);
  await flight.command("push_mission", { mission_id: missionId });
  screen.step("Uploaded the mission; the vehicle's copy was read back and is the same");
  await flight.command("push_geofence", { geofence_id: geofenceId });
  screen.step("Uploaded the geofence");
  screen.step("Arming");
  await flight.arm();
  try {
    screen.step(`Taking off to ${flightAltitude} m`);
    await flight.takeOff(home);
    screen.step("Flying the mission");
    await flight.flyMission(missionId, home);
    await shoot();
    screen.step("Took a picture and uploaded it, as the drone's camera does");
    screen.step("Flying by the sticks, through the relay");
    await flight.flyBySticks(gamepad, home);
    screen.step("Returning to launch");
    await flight.returnAndLand(home);
  } catch (error) {
    // Best effort: the copter should not stay in the air after a failure.
    await flight.command("rtl").catch(() => undefined);
    throw error;
  }
  screen.step("Landed and disarmed. That was a whole flight.");
}
