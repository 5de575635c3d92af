import { setTimeout } from "node:timers/promises";
import { common, minimal } from "../vehicle/mavlink/wire/messages";
import { GroundStation, planItem } from "./ground-station";
import { seededRandom } from "./random";
import { type SimulatedVehicle, type Simulator, startSimulator } from "./simulator";

let simulator: Simulator;
let station: GroundStation;
let vehicle: SimulatedVehicle;

beforeEach(async () => {
  simulator = await startSimulator({ speedUp: 20, vehicles: [{ kind: "copter", bootSeconds: 0 }] });
  vehicle = simulator.vehicles[0]!;
  station = await GroundStation.connect(vehicle.port);
});
afterEach(async () => {
  await station.close();
  await simulator.stop();
});

const plan = Array.from({ length: 10 }, (_, at) => planItem({ x: at, y: at, z: 10 }));
const readParam = (paramId: string) =>
  station.send(common.ParamRequestRead, { targetSystem: 1, targetComponent: 1, paramId, paramIndex: -1 });

test("the same seed loses the same frames", () => {
  const first = seededRandom(7);
  const second = seededRandom(7);
  const numbers = Array.from({ length: 1000 }, first);
  expect(Array.from({ length: 1000 }, second)).toEqual(numbers);
  const mean = numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  expect(mean).toBeGreaterThan(0.45);
  expect(mean).toBeLessThan(0.55);
});

test("frames from the vehicle are lost in about the proportion asked for", async () => {
  vehicle.faults.loseSent = 50;
  for (let count = 0; count < 400; count++) readParam("WP_SPD");
  await station.until(() => station.all(common.ParamValue).length > 150, "half of the answers");
  vehicle.faults.loseSent = 0;
  await station.command(512, 148);
  expect(station.all(common.ParamValue).length).toBeLessThan(250);
});

test("what is lost on the way to the vehicle is not obeyed", async () => {
  vehicle.faults.loseReceived = 100;
  station.send(common.SetMode, { targetSystem: 1, baseMode: 1 as common.MavMode, customMode: 4 });
  await station.next(minimal.Heartbeat);
  expect(vehicle.state.mode).toBe("STABILIZE");
});

test("a duplicated frame comes twice, in both directions", async () => {
  vehicle.faults.duplicateReceived = 100;
  vehicle.faults.duplicateSent = 100;
  readParam("WP_SPD");
  await station.until(() => station.all(common.ParamValue).length === 4, "four answers");
});

test("a delayed answer comes late, and comes", async () => {
  vehicle.faults.delaySent = 300;
  const asked = Date.now();
  await station.command(512, 148);
  expect(Date.now() - asked).toBeGreaterThanOrEqual(295);
});

test("the connection drops after so many mission items, once", async () => {
  vehicle.faults.dropAfterItems = 3;
  const upload = station.upload(plan);
  upload.catch(() => undefined);
  await station.until(() => station.closed, "the drop");
  expect(vehicle.faults.dropAfterItems).toBeUndefined();
  station = await GroundStation.connect(vehicle.port);
  expect(await station.upload(plan)).toBe(common.MavMissionResult.ACCEPTED);
});

test("a silent vehicle keeps its connection and says nothing, until it speaks again", async () => {
  await station.next(minimal.Heartbeat, () => true, 0);
  vehicle.faults.silent = true;
  const heard = station.heard.length;
  readParam("WP_SPD");
  const { time } = vehicle.state;
  // Longer than two heartbeats take.
  while (vehicle.state.time < time + 2.2 * 20) await setTimeout(20);
  expect(station.heard.slice(heard)).toEqual([]);
  expect(station.closed).toBe(false);
  vehicle.faults.silent = false;
  await station.next(minimal.Heartbeat);
  expect(station.all(common.ParamValue)).toEqual([]);
});

test("a vehicle that withholds acknowledgements obeys all the same", async () => {
  vehicle.faults.withholdAcknowledgements = true;
  station.send(common.CommandLong, {
    targetSystem: 1,
    command: 176 as common.MavCmd,
    _param1: 1,
    _param2: 4,
  });
  await station.until(() => vehicle.state.mode === "GUIDED", "the mode");
  expect(station.all(common.CommandAck)).toEqual([]);
});

test("a broken chunk of bytes does not disturb what follows", async () => {
  const noise = Buffer.from(Array.from({ length: 400 }, (_, at) => (at * 37) % 256));
  station.sendBytes(noise);
  // Enough to complete whatever the noise looked like the beginning of.
  for (let count = 0; count < 30; count++) readParam("WP_SPD");
  await station.until(() => station.all(common.ParamValue).length > 5, "answers");
});
