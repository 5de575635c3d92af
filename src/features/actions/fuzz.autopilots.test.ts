import { autopilots } from "../../testing/autopilots/autopilot";
import { claimsNothing, contradiction } from "../../testing/autopilots/contradiction";
import { type GivenOrder, giveOrder } from "../../testing/autopilots/orders";
import {
  type Choices,
  choicesFor,
  type RandomOrder,
  randomOrder,
} from "../../testing/autopilots/random-orders";
import { prepareStates } from "../../testing/autopilots/states";
import { startVehicle, type TestedVehicle } from "../../testing/autopilots/tested-vehicle";
import { waitUntilSettled } from "../../testing/autopilots/wait-until-settled";
import type { ObservedState } from "../../testing/autopilots/witness";
import { seededRandom } from "../../testing/fakes/mavlink-stream";

const MINUTES = Number(process.env.FUZZ_MINUTES ?? 1.5);
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Orders before a contradiction that are shown with it. */
const SHOWN = 12;
/** After so many refusals to arm the vehicle is started anew: it crashed, or its position is lost. */
const REFUSALS = 5;

/** What the vehicle says when it acts of its own will: it changes how it flies then, and no plan or parameter. */
const OWN_WILL = /failsafe|auto preflight disarming|fence breach|geofence (violation|breach)|crash/i;
const ABOUT_FLIGHT = /\), and the (vehicle|mode) /;
/** Of all orders, at most: contradictions when it says so, and answers that claim nothing. */
const MOST_OWN_WILL = 0.05;
const MOST_UNKNOWN = 0.02;
/** Seconds from one heartbeat to the next with which an order that waits 3.5 s for a mode may end before it is shown. */
const SLOW_BEATS = 2.5;
/** Of all orders, at least. */
const LEAST_OBEYED = 0.2;

jest.setTimeout((MINUTES + 5) * 60_000);

const print = (line: string) => void process.stdout.write(`${line}\n`);

let vehicle: TestedVehicle;
afterEach(() => vehicle.stop());

test.each(autopilots)("random orders to a %s get no answer that it contradicts", async (name) => {
  print(`${name}: FUZZ_SEED=${SEED} FUZZ_MINUTES=${MINUTES}`);
  vehicle = await startVehicle(name);
  await prepareStates(vehicle);
  const random = seededRandom(SEED);
  const choices = await choicesFor(vehicle, await vehicle.witness.fresh());
  const end = performance.now() + MINUTES * 60_000;
  const log: string[] = [];
  const found: string[] = [];
  const planned: RandomOrder[] = [];
  let [refusals, unknown, ofSlowBeats, ofOwnWill] = [0, 0, 0, 0];
  while (performance.now() < end) {
    const seen = await waitUntilSettled(vehicle);
    if (planned.length === 0) planned.push(...nextOrders(random, choices, seen));
    const [path, body] = planned.shift() as RandomOrder;
    const given = await giveOrder(vehicle, path, body, (one) => contradiction(one, name)).catch((error) => {
      print([`${name}: ${error} at ${path} ${JSON.stringify(body)}`, ...log.slice(-SHOWN)].join("\n  "));
      throw error;
    });
    const state = `${seen.armed ? "armed" : "disarmed"} in ${seen.customMode} at ${seen.relativeAltitude.toFixed(1)} m`;
    log.push(
      `${log.length + 1}. ${state}: ${path} ${JSON.stringify(body)} → ${given.status} ${given.message}`,
    );
    const untrue = contradiction(given, name);
    const actsItself =
      untrue !== undefined && ABOUT_FLIGHT.test(untrue) && given.texts.some((text) => OWN_WILL.test(text));
    if (claimsNothing(given)) {
      if (beatsSlowly(given)) ofSlowBeats += 1;
      else unknown += 1;
      print(`${name}: claims nothing: ${log.at(-1)}`);
    }
    if (actsItself) ofOwnWill += 1;
    if (untrue) {
      if (!actsItself) found.push(untrue);
      const what = actsItself ? "not counted, as it says that it acts by itself" : "contradiction";
      print([`${name}: ${what}: ${untrue}`, ...log.slice(-SHOWN)].join("\n  "));
    }
    if (/^arm/.test(path)) refusals = given.status === 200 ? 0 : refusals + 1;
    if (refusals === REFUSALS) {
      refusals = 0;
      await startAnew(vehicle);
    }
  }
  const obeyed = log.filter((line) => line.includes("→ 200")).length;
  print(
    `${name}: ${log.length} orders, of which ${obeyed} were obeyed; ${unknown} with an unknown outcome, ${ofSlowBeats} more while it reported slowly, ${ofOwnWill} not counted`,
  );
  expect(found).toEqual([]);
  expect(obeyed).toBeGreaterThan(LEAST_OBEYED * log.length);
  expect(unknown).toBeLessThanOrEqual(MOST_UNKNOWN * log.length);
  expect(ofOwnWill).toBeLessThanOrEqual(MOST_OWN_WILL * log.length);
});

/** PX4's rover does, once it has been armed: its simulator's clock then runs at a fifth of life. */
const beatsSlowly = ({ beats }: GivenOrder): boolean =>
  beats.some(({ at }, index) => index > 0 && at - (beats[index - 1] as { at: number }).at > SLOW_BEATS);

/** Now and then those that take a vehicle on the ground into the air, as a pilot would. */
function nextOrders(random: () => number, choices: Choices, seen: ObservedState): RandomOrder[] {
  if (seen.armed || random() < 0.7) return [randomOrder(random, choices, seen)];
  const altitude = 10 + Math.round(random() * 15);
  const takeoff: RandomOrder[] = choices.vehicle.kind === "rover" ? [] : [["takeoff", { altitude }]];
  return [["guided", {}], ["arm", {}], ...takeoff];
}

async function startAnew(vehicle: TestedVehicle): Promise<void> {
  const { autopilot, witness, api, droneId } = vehicle;
  autopilot.kill();
  const killed = await witness.now();
  autopilot.restart();
  const isBack = async () => {
    // ArduPilot boots when its first port is connected to, which may have been too early.
    await api.get(`/drone/action/connection?id=${droneId}`);
    return (await witness.since("SYS_STATUS", killed + 1)).length > 0;
  };
  await witness.until("it again", isBack, 120);
  await witness.readyToArm();
  // PX4 may have been killed before it had saved its parameters.
  await prepareStates(vehicle);
}
