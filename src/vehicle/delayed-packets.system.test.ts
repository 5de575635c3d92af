import { type ChildProcess, spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { compileOnLoad } from "../platform/process/program";
import { packageRoot } from "../platform/process/version";
import { atEndOfFile, freshFolder } from "../testing";
import { asRoot, Namespace } from "../testing/system/namespaces";
import { until } from "../testing/until";
import { tapVehicle, type VehicleTap } from "../testing/vehicle-tap";
import { startTestSimulator, type TestVehicle } from "../testing/worlds/simulator";

jest.setTimeout(60_000);

/**
 * A gateway's link on one node and the vehicle's port on another, with a real network between them that drops packets
 * for a while: the system keeps what was written, and delivers it when the network is back.
 */
const ARM = 400;
const VEHICLE = "192.0.2.2";
const PORT = 5001;
/** Seconds. It must not disarm by itself before the answer to an order arrives, which may take six. */
const DISARM_DELAY = 7;

let ground: Namespace;
let vehicle: TestVehicle;
let tap: VehicleTap;

const filter = (verb: string, ways: readonly string[]) =>
  ground.shell(ways.map((way) => `iptables ${verb} ${way} -j DROP`).join("\n"));
const UP = "OUTPUT -o drone";
const DOWN = "INPUT -i drone";

function started(child: ChildProcess): ChildProcess {
  atEndOfFile(async () => void child.kill("SIGKILL"));
  return child;
}

/** Runs in the drone's node: its port leads to a unix socket. */
const port = `
const net = require("net");
const [path, port] = process.argv.slice(1);
net.createServer({ noDelay: true }, (near) => {
  const far = net.connect(path);
  for (const [one, other] of [[near, far], [far, near]]) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.end());
    one.pipe(other);
  }
}).listen(Number(port), () => console.log("listening"));
`;

async function startScene(): Promise<void> {
  ground = await Namespace.create("ground");
  const drone = await Namespace.create("drone");
  await ground.link(drone, { name: "drone", ip: "192.0.2.1/24" }, { name: "eth0", ip: `${VEHICLE}/24` });
  const simulator = await startTestSimulator([{ kind: "copter", params: { DISARM_DELAY } }]);
  atEndOfFile(() => simulator.stop());
  vehicle = simulator.vehicle;
  tap = await tapVehicle(vehicle);
  const path = join(freshFolder("drone"), "socket");
  const bridge = createServer((near) => {
    const far = connect({ host: "127.0.0.1", port: tap.port, noDelay: true });
    near.on("error", () => far.destroy()).on("close", () => far.end());
    far.on("error", () => near.destroy()).on("close", () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => bridge.listen(path, resolve));
  atEndOfFile(async () => void bridge.close());
  const [program = "", ...args] = [...drone.prefix, process.execPath, "-e", port, path, String(PORT)];
  const child = started(spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] }));
  await new Promise((resolve) => child.stdout?.once("data", resolve));
}

/** Gives the order to arm, and tells what became of it. */
async function startGround(via: string): Promise<{ arm(): Promise<string>; stop(): void }> {
  const program = join(packageRoot, "src/testing/programs/ordering-program.ts");
  const node = ["env", "-C", packageRoot, process.execPath, "--require", compileOnLoad, program];
  const [enter = "", ...args] = [...ground.prefix, ...node, VEHICLE, String(PORT), via];
  const child = started(spawn(enter, args, { stdio: ["pipe", "pipe", "inherit"] }));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value as string;
  expect(await next()).toBe("open");
  return {
    arm: () => {
      child.stdin?.write("arm\n");
      return next();
    },
    stop: () => void child.stdin?.end(),
  };
}

/** The commands that came, but the requests for messages (MAV_CMD_REQUEST_MESSAGE). */
const ordersAt = ({ orders }: { readonly orders: readonly number[] }) =>
  orders.filter((command) => command !== 512);

describe.each(["direct", "jumphost"])("over a link that is %s", (via) => {
  let pilot: { arm(): Promise<string>; stop(): void };

  beforeAll(async () => {
    if (process.getuid?.() !== 0) return;
    await startScene();
    pilot = await startGround(via);
  });
  afterAll(() => pilot?.stop());

  asRoot.each([
    ["both ways are", [UP, DOWN]],
    ["only the way to the vehicle is", [UP]],
    ["only the way from the vehicle is", [DOWN]],
  ])("an order is carried out once when %s held up for two seconds", async (_name, ways) => {
    await until(() => !vehicle.state.armed);
    tap.reset();
    await filter("-I", ways);
    const reply = pilot.arm();
    // TCP sends again after up to as long once more, and an order waits for five seconds.
    await delay(2_000);
    await filter("-D", ways);
    expect(await reply).toBe("MAV_RESULT_ACCEPTED");
    expect({ orders: ordersAt(tap), repetitions: tap.repetitions }).toEqual({
      orders: [ARM],
      repetitions: [],
    });
  });

  asRoot("an order with an unknown outcome is not carried out afterwards", async () => {
    await until(() => !vehicle.state.armed);
    tap.reset();
    await filter("-I", [UP, DOWN]);
    expect(await pilot.arm()).toBe("outcome_unknown");
    await filter("-D", [UP, DOWN]);
    // The vehicle's side hears of the end when it speaks next.
    await until(() => tap.open === 0);
    expect(tap.orders).toEqual([]);
    expect(vehicle.state.armed).toBe(false);
    expect(await pilot.arm()).toBe("MAV_RESULT_ACCEPTED");
    expect(ordersAt(tap)).toEqual([ARM]);
  });
});
