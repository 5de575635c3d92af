import { type ChildProcess, spawn } from "node:child_process";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createLogger } from "../../platform/process/log";
import { atEndOfFile, freshRedis, redisClient } from "../../testing";
import { until } from "../../testing/until";
import { startJumphost, type TestJumphost } from "../../testing/worlds/jumphost";
import type { ByteStream } from "../../vehicle";
import { LeaseStore } from "../../vehicle/cluster";
import { dialThroughJumphost } from "../../vehicle/dialers/jumphost";
import { FencingNumbers } from "./fencing-numbers";
import { PipeError } from "./pipe-error";

const quiet = createLogger("test", "silent");

describe("the right to a vehicle", () => {
  const refused = (claim: () => unknown) => {
    try {
      claim();
    } catch (error) {
      if (error instanceof PipeError) return error.reason;
    }
    return undefined;
  };

  test("goes to the higher number at once", () => {
    const fencingNumbers = new FencingNumbers();
    const [old, older] = [fencingNumbers.claim("a", undefined), fencingNumbers.claim("a", undefined)];
    const first = fencingNumbers.claim("a", 7);
    expect([old, older].map(({ signal }) => signal.aborted)).toEqual([true, true]);
    const second = fencingNumbers.claim("a", 8);
    expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false]);
  });

  test("never goes to a lower number, also after the holder has disconnected", () => {
    const fencingNumbers = new FencingNumbers();
    fencingNumbers.claim("a", 8).release();
    expect(refused(() => fencingNumbers.claim("a", 7))).toBe("deposed");
    expect(refused(() => fencingNumbers.claim("b", 7))).toBeUndefined();
  });

  test("goes to the same number again when its holder reconnects, and its old pipe ends", () => {
    const fencingNumbers = new FencingNumbers();
    const before = fencingNumbers.claim("a", Number.MAX_SAFE_INTEGER);
    const after = fencingNumbers.claim("a", Number.MAX_SAFE_INTEGER);
    expect([before.signal.aborted, after.signal.aborted]).toEqual([true, false]);
    // The clean-up of the old pipe does not touch the new one.
    before.release();
    fencingNumbers.claim("a", Number.MAX_SAFE_INTEGER);
    expect(after.signal.aborted).toBe(true);
  });

  test("requires a number once there was a numbered holder, also after that one has disconnected", () => {
    const fencingNumbers = new FencingNumbers();
    const holder = fencingNumbers.claim("a", 1);
    expect(refused(() => fencingNumbers.claim("a", undefined))).toBe("deposed");
    holder.release();
    expect(refused(() => fencingNumbers.claim("a", undefined))).toBe("deposed");
    expect(refused(() => fencingNumbers.claim("b", undefined))).toBeUndefined();
  });

  test("is shared by callers without a number while no caller has one", () => {
    const fencingNumbers = new FencingNumbers();
    const [one, two] = [fencingNumbers.claim("a", undefined), fencingNumbers.claim("a", undefined)];
    expect([one, two].some(({ signal }) => signal.aborted)).toBe(false);
  });
});

/** A vehicle that takes one connection at a time, as ArduPilot's TCP port does, and notes what each brought. */
async function vehicle(host: string) {
  const connections: { bytes: string; open: boolean }[] = [];
  let current: Socket | undefined;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    if (current && !current.destroyed) {
      socket.destroy();
      return;
    }
    current = socket;
    const connection = { bytes: "", open: true };
    connections.push(connection);
    socket.on("data", (data) => {
      connection.bytes += data;
    });
    socket.on("close", () => {
      connection.open = false;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  atEndOfFile(async () => {
    current?.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { host, port: (server.address() as AddressInfo).port, connections };
}

const streamTo = (
  jumphost: TestJumphost,
  { host, port }: { host: string; port: number },
  fence?: number,
  key = "1",
): Promise<ByteStream> =>
  dialThroughJumphost({ url: jumphost.url })(
    { key, host, port, via: "jumphost", ...(fence === undefined ? {} : { fence }) },
    AbortSignal.timeout(5_000),
  );

test("a vehicle that takes one connection is free for a new holder at once", async () => {
  const jumphost = await startJumphost({ log: quiet });
  const copter = await vehicle("127.0.8.1");
  const old = await streamTo(jumphost, copter, 1);
  await until(() => copter.connections.length === 1);
  const fresh = await streamTo(jumphost, copter, 2);
  fresh.write(Buffer.from("mine"));
  await until(() => copter.connections[1]?.bytes === "mine");
  expect(copter.connections[0]).toMatchObject({ open: false });
  old.write(Buffer.from("no longer mine"));
  await expect(streamTo(jumphost, copter, 1)).rejects.toMatchObject({ code: "vehicle_unreachable" });
  await expect(streamTo(jumphost, copter)).rejects.toMatchObject({ code: "vehicle_unreachable" });
  fresh.close();
});

test("a jumphost that has just started refuses a replaced holder before the new one has connected", async () => {
  const redis = await redisClient((await freshRedis()).url);
  const store = new LeaseStore(redis);
  const claim = (replica: string) => store.claim("drone:1", replica, "http://127.0.0.1:1", 60_000);
  const copter = await vehicle("127.0.8.4");
  const old = await claim("old");
  await store.release("drone:1", old);
  const fresh = await claim("new");

  const jumphost = await startJumphost({ log: quiet, lastFence: (link) => store.lastFence(link) });
  await expect(streamTo(jumphost, copter, old.fence, "drone:1")).rejects.toMatchObject({
    message: expect.stringContaining(`The fencing number ${fresh.fence} was given to a newer holder.`),
  });
  // The holder keeps its number for as long as it renews its lease, and comes back with it.
  for (let time = 0; time < 2; time++) {
    const stream = await streamTo(jumphost, copter, fresh.fence, "drone:1");
    stream.write(Buffer.from("mine"));
    await until(() => copter.connections[time]?.bytes === "mine");
    stream.close();
    await until(() => copter.connections[time]?.open === false);
  }
  // A link that was given no number is accepted with any.
  (await streamTo(jumphost, copter, fresh.fence, "drone:2")).close();
});

test("while the last number cannot be read, the highest number seen decides", async () => {
  const lastFence = () => Promise.reject(new Error("Redis is away."));
  const jumphost = await startJumphost({ log: quiet, lastFence });
  const copter = await vehicle("127.0.8.5");
  const stream = await streamTo(jumphost, copter, 7);
  stream.write(Buffer.from("mine"));
  await until(() => copter.connections[0]?.bytes === "mine");
  await expect(streamTo(jumphost, copter, 6)).rejects.toMatchObject({ code: "vehicle_unreachable" });
  stream.close();
});

describe("with leased links", () => {
  test("a pipe needs a number and the link it was given for, also the first one", async () => {
    const jumphost = await startJumphost({ log: quiet, areLinksLeased: true });
    const copter = await vehicle("127.0.8.6");
    await expect(streamTo(jumphost, copter)).rejects.toMatchObject({
      message: expect.stringContaining("send x-link-fence and x-link-key"),
      cause: { message: "The jumphost answered 428." },
    });
    expect(await jumphost.metrics()).toMatch(
      /^fleet_jumphost_refusals_total{.*reason="fence_required".*} 1$/m,
    );
    const stream = await streamTo(jumphost, copter, 7);
    await expect(streamTo(jumphost, copter)).rejects.toMatchObject({ code: "vehicle_unreachable" });
    await until(() => copter.connections.length === 1);
    expect(copter.connections).toMatchObject([{ bytes: "", open: true }]);
    stream.close();
  });

  test("a jumphost that has just started opens no pipe while it cannot read the last number", async () => {
    let away = true;
    const lastFence = async () => {
      if (away) throw new Error("Redis is away.");
      return 7;
    };
    const jumphost = await startJumphost({ log: quiet, areLinksLeased: true, lastFence });
    const copter = await vehicle("127.0.8.7");
    await expect(streamTo(jumphost, copter, 6)).rejects.toMatchObject({
      message: expect.stringContaining("The holder of this vehicle's link is not known now."),
      cause: { message: "The jumphost answered 503." },
    });
    away = false;
    await expect(streamTo(jumphost, copter, 6)).rejects.toMatchObject({ code: "vehicle_unreachable" });
    (await streamTo(jumphost, copter, 7)).close();
    // From now on it knows by itself who is the last.
    away = true;
    await expect(streamTo(jumphost, copter, 6)).rejects.toMatchObject({ code: "vehicle_unreachable" });
    (await streamTo(jumphost, copter, 7)).close();
  });
});

test("a pipe to another port of the same drone replaces the older pipe", async () => {
  const jumphost = await startJumphost({ log: quiet });
  const [before, after] = [await vehicle("127.0.8.2"), await vehicle("127.0.8.2")];
  const old = await streamTo(jumphost, before, 1);
  const closed = new Promise((resolve) => old.onClose(resolve));
  const fresh = await streamTo(jumphost, after, 2);
  await expect(closed).resolves.toContain("a newer holder");
  fresh.close();
});

/** A gateway of its own, in another process, that numbers its orders as fast as it can. */
const gatewayProgram = `
const WebSocket = require(${JSON.stringify(require.resolve("ws"))});
const [url, host, port, fence] = process.argv.slice(1);
const headers = { "x-drone-ip": host, "x-drone-port": port, "x-link-fence": fence };
const socket = new WebSocket(url, { headers });
let order = 0;
socket.on("open", () => setInterval(() => { if (socket.bufferedAmount < 65536) socket.send(Buffer.from("old" + order++ + ";")); }, 1));
socket.on("error", () => {});
socket.on("close", (code) => { console.log("closed " + code); process.exit(0); });
`;

function pausableGateway(
  jumphost: TestJumphost,
  to: { host: string; port: number },
  fence: number,
): ChildProcess {
  const args = ["-e", gatewayProgram, jumphost.url, to.host, String(to.port), String(fence)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  atEndOfFile(async () => void child.kill("SIGKILL"));
  return child;
}

test("a gateway that was paused sends no byte to a vehicle that has a new holder", async () => {
  const jumphost = await startJumphost({ log: quiet });
  const copter = await vehicle("127.0.8.3");
  const old = pausableGateway(jumphost, copter, 1);
  let said = "";
  old.stdout?.on("data", (bytes) => {
    said += bytes;
  });
  await until(() => (copter.connections[0]?.bytes.length ?? 0) > 200);
  old.kill("SIGSTOP");
  const fresh = await streamTo(jumphost, copter, 2);
  fresh.write(Buffer.from("new"));
  await until(() => copter.connections[1]?.bytes === "new");
  const before = copter.connections[0]?.bytes;
  expect(copter.connections[0]?.open).toBe(false);

  old.kill("SIGCONT");
  await until(() => said.includes("closed"));
  fresh.write(Buffer.from("er"));
  await until(() => copter.connections[1]?.bytes === "newer");
  expect(copter.connections[0]?.bytes).toBe(before);
  expect(copter.connections).toHaveLength(2);
  // It does not get back in either.
  await expect(streamTo(jumphost, copter, 1)).rejects.toMatchObject({ code: "vehicle_unreachable" });
  fresh.close();
});
