import { setTimeout as delay } from "node:timers/promises";
import { io } from "socket.io-client";
import { Autopilot, type AutopilotName, isPx4 } from "../src/testing/autopilots/autopilot";
import { Witness } from "../src/testing/autopilots/witness";
import { runCleanUps } from "../src/testing/clean-up";
import { ApiClient } from "../src/testing/client";
import { CleanupStack } from "../src/testing/repository/cleanup-stack";
import { startBenchGateway } from "./gateway";
import { poster } from "./http/post";
import { type BenchRow, type BenchTable, median } from "./table";

const ROUNDS = 4;
const ORDERS = 50;
const ITEMS = 100;
const UPLOADS = 2;
const TELEMETRY_MS = 20_000;
const MAV_CMD_COMPONENT_ARM_DISARM = 400;
/** MAV_CMD_NAV_WAYPOINT, MAV_CMD_NAV_TAKEOFF. */
const [WAYPOINT, TAKEOFF] = [16, 22];
/** Of MISSION_ITEM_INT, in the order in which the witness takes them. */
const ITEM_FIELDS = ["command", "frame", "param1", "param2", "param3", "param4", "x", "y", "z"] as const;

type Gateway = Awaited<ReturnType<typeof startBenchGateway>>;

interface Flight {
  readonly autopilot: Autopilot;
  readonly witness: Witness;
  readonly api: ApiClient;
  readonly url: string;
  readonly token: string;
  readonly droneId: number;
}

/**
 * Orders, transfers and telemetry of real autopilots through the API, beside pymavlink.
 * AUTOPILOTS names the folder with the simulators, PEERS_PYTHON a Python with pymavlink (`.ci/peers/python`).
 */
export async function run(): Promise<BenchTable> {
  const stops = new CleanupStack();
  try {
    const gateway = await startBenchGateway(stops, {});
    const copter = await fly(gateway, "copter");
    const rows = [await orders(copter), await parameters(copter), await uploads(copter)];
    copter.witness.stop();
    await copter.autopilot.stop();
    rows.push(await telemetryAge(await fly(gateway, "px4-quad")));
    const notes = [
      "Simulators at life's speed: ArduCopter, and for telemetry PX4, which sends both clients of its link the same frames.",
      "Orders are sent in four rounds, by turns with pymavlink's, up to 20 ms after each other: an order to disarm, on record before and after it.",
      `The upload goes over 100 ms of delay and 1 % of loss each way, ${UPLOADS} times by turns with pymavlink's; mean. The gateway also reads what was on board before.`,
    ];
    return { name: "flight", rows, notes };
  } finally {
    await runCleanUps(globalThis);
    await stops.clear();
  }
}

async function fly(gateway: Gateway, name: AutopilotName): Promise<Flight> {
  const autopilot = await Autopilot.start(name);
  const customer = await gateway.newCustomer(`${name}@example.com`);
  const { id: droneId } = await gateway.newDrone(customer, autopilot.port);
  const api = new ApiClient(gateway.base, customer.token);
  // ArduPilot boots when its first port is connected to.
  await api.get(`/drone/action/connection?id=${droneId}`);
  const witness = Witness.at(isPx4(name) ? autopilot.port : autopilot.witnessPort);
  await witness.readyToArm();
  return { autopilot, witness, api, url: gateway.url, token: customer.token, droneId };
}

async function timed(work: () => Promise<{ status: number; body?: unknown }>): Promise<number> {
  const began = performance.now();
  const { status, body } = await work();
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return performance.now() - began;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

async function orders({ api, token, witness, droneId }: Flight): Promise<BenchRow> {
  const post = poster(api.base, token);
  const body = { drone_id: droneId };
  const [times, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    // The first round warms up.
    if (round === 1) times.length = theirs.length = 0;
    for (let at = 0; at < ORDERS; at++) {
      times.push(await timed(async () => ({ status: await post("/drone/action/disarm_drone", body) })));
      // Orders that follow each other at once would always meet the same moment of the vehicle's loop.
      await delay(Math.random() * 20);
    }
    theirs.push(...(await witness.times(MAV_CMD_COMPONENT_ARM_DISARM, [0], ORDERS)));
  }
  const [ours, baseline] = [median(times), median(theirs)];
  return {
    ...{ what: "an order until its reply, median", ours, baseline, ratio: ours / baseline, unit: "ms" },
    ...{ goal: "at most 5 ms over pymavlink", met: ours <= baseline + 5 },
  };
}

/** Of each position when it has come, against the same position at the witness. */
async function telemetryAge({ url, token, witness, droneId }: Flight): Promise<BenchRow> {
  const came = new Map<string, number>();
  const socket = io(url, { query: { token }, transports: ["websocket"], forceNew: true });
  socket.on("connected", () => socket.emit("subscribe_telemetry", { drone_id: droneId, stream_type: "gps" }));
  socket.on("telemetry_data", ({ type, data }) => {
    const key = `${Math.round(data.latitude * 1e7)} ${Math.round(data.longitude * 1e7)} ${data.altitude}`;
    if (type === "gps" && !came.has(key)) came.set(key, Date.now() / 1000);
  });
  const began = await witness.now();
  await delay(TELEMETRY_MS);
  socket.disconnect();
  const first = new Map<string, number>();
  for (const { lat, lon, alt, at } of await witness.since("GLOBAL_POSITION_INT", began)) {
    const key = `${lat} ${lon} ${Number(alt) / 1000}`;
    if (!first.has(key)) first.set(key, at);
  }
  const ages = [...came].flatMap(([key, at]) =>
    first.has(key) ? [(at - (first.get(key) ?? at)) * 1000] : [],
  );
  if (ages.length < 20) throw new Error(`Only ${ages.length} positions came both ways.`);
  const ours = median(ages);
  return {
    ...{
      what: `age of ${ages.length} positions over pymavlink's, median`,
      ours,
      baseline: 0,
      ratio: Number.NaN,
    },
    ...{ unit: "ms", goal: "at most 3 ms", met: ours <= 3 },
  };
}

async function parameters({ api, witness, droneId }: Flight): Promise<BenchRow> {
  const ours = (await timed(() => api.get(`/drone/${droneId}/params?all=true`))) / 1000;
  const { seconds: baseline } = await witness.params();
  return {
    ...{ what: "all parameters", ours, baseline, ratio: ours / baseline, unit: "s" },
    ...{ goal: "at most 1.2 times pymavlink's", met: ours <= 1.2 * baseline },
  };
}

async function uploads({ api, autopilot, witness, droneId }: Flight): Promise<BenchRow> {
  const { id: mission_id } = (await api.post("/mission", { name: "survey" })).body;
  // ArduPilot counts home among the items.
  for (let sequence = 1; sequence < ITEMS; sequence++) {
    const place = { lat: -35.363 + sequence * 1e-5, lng: 149.165, altitude: 30 };
    const command = sequence === 1 ? TAKEOFF : WAYPOINT;
    await timed(() => api.post("/mission/point", [{ mission_id, ...place, type: "fly", sequence, command }]));
  }
  const push = () => timed(() => api.post("/drone/action/push_mission", { drone_id: droneId, mission_id }));
  await push();
  const onBoard = async () => {
    const items = await witness.plan(0);
    if (items.length !== ITEMS) throw new Error(`The vehicle holds ${items.length} items, not ${ITEMS}.`);
    return items.map((item) => ITEM_FIELDS.map((field) => item[field] as number));
  };
  const items = await onBoard();
  autopilot.delay(100);
  autopilot.loss(1);
  const [times, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < UPLOADS; round++) {
    times.push((await push()) / 1000);
    const began = performance.now();
    const result = await witness.upload(0, items);
    if (result !== 0) throw new Error(`pymavlink's upload ended with ${result}.`);
    await onBoard();
    theirs.push((performance.now() - began) / 1000);
  }
  const [ours, baseline] = [mean(times), mean(theirs)];
  return {
    ...{ what: `${ITEMS} items up, and read back`, ours, baseline, ratio: ours / baseline, unit: "s" },
    ...{ goal: "at most 1.1 times pymavlink's", met: ours <= 1.1 * baseline },
  };
}
