import { setTimeout as delay } from "node:timers/promises";
import WebSocket from "ws";
import { nextHost, tcpVehicle } from "../../testing/fakes/tcp-vehicle";
import {
  closeOf,
  countIn,
  dial,
  headersFor,
  nothingLeft,
  openPipe,
  receivedFrom,
} from "../../testing/jumphost-client";
import { rawClient } from "../../testing/raw-http";
import { until } from "../../testing/until";
import { startJumphost, type TestJumphost } from "../../testing/worlds/jumphost";
import type { JumphostOptions } from "./jumphost";

let shared: TestJumphost;
beforeAll(async () => {
  shared = await startJumphost();
});

describe("a pipe", () => {
  test("carries bytes both ways, counts them, and leaves nothing when the gateway hangs up", async () => {
    const echo = await tcpVehicle(nextHost(), (socket) => socket.pipe(socket));
    const jumphost = await startJumphost();
    const socket = await openPipe(jumphost, headersFor(echo));
    const sent = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251));
    socket.send(sent);
    await until(() => receivedFrom(socket).length === sent.length);
    expect(receivedFrom(socket).equals(sent)).toBe(true);
    expect(await countIn(jumphost, /fleet_jumphost_bytes_total\{direction="to_vehicle",.*\} (\d+)/)).toBe(
      200_000,
    );
    expect(await countIn(jumphost, /fleet_jumphost_bytes_total\{direction="to_gateway",.*\} (\d+)/)).toBe(
      200_000,
    );
    expect(await countIn(jumphost, /fleet_jumphost_pipes\{.*\} (\d+)/)).toBe(1);
    socket.terminate();
    await nothingLeft(jumphost, echo);
    expect(await countIn(jumphost, /pipes_closed_total\{reason="gateway_lost",.*\} (\d+)/)).toBe(1);
  });

  test("delivers what was sent before an orderly close, also while the vehicle sends", async () => {
    const talking = await tcpVehicle(nextHost(), (socket) => {
      const timer = setInterval(() => socket.write("telemetry"), 2);
      socket.on("close", () => clearInterval(timer));
    });
    const socket = await openPipe(shared, headersFor(talking));
    socket.send(Buffer.from("the last order"));
    socket.close(1000);
    await nothingLeft(shared, talking);
    expect(talking.received()).toBe("the last order");
  });

  test("ends for the gateway when the vehicle closes the connection or resets it", async () => {
    const leaving = await tcpVehicle(nextHost(), (socket) => void socket.end("bye"));
    const polite = await openPipe(shared, headersFor(leaving));
    await expect(closeOf(polite)).resolves.toEqual({
      code: 1000,
      reason: "the vehicle closed the connection",
    });
    expect(receivedFrom(polite).toString()).toBe("bye");
    const cutting = await tcpVehicle(nextHost());
    const cut = await openPipe(shared, headersFor(cutting));
    const closed = closeOf(cut);
    await until(() => cutting.sockets.size === 1);
    for (const socket of cutting.sockets) socket.resetAndDestroy();
    await expect(closed).resolves.toEqual({ code: 1011, reason: "the connection to the vehicle broke" });
    await nothingLeft(shared, leaving, cutting);
  });

  test("is closed when it carries nothing for too long, and not while it carries", async () => {
    const jumphost = await startJumphost({ idleMs: 400 });
    const silent = await tcpVehicle(nextHost());
    const busy = await tcpVehicle(nextHost(), (socket) => {
      const timer = setInterval(() => socket.write("."), 50);
      socket.on("close", () => clearInterval(timer));
    });
    const kept = await openPipe(jumphost, headersFor(busy));
    const idle = await openPipe(jumphost, headersFor(silent));
    expect(await closeOf(idle)).toMatchObject({ code: 4408 });
    expect(kept.readyState).toBe(WebSocket.OPEN);
    kept.terminate();
    await nothingLeft(jumphost, silent, busy);
  });

  test("is closed when the gateway answers no ping", async () => {
    const jumphost = await startJumphost({ pingMs: 100 });
    const talking = await tcpVehicle(nextHost());
    const socket = await openPipe(jumphost, headersFor(talking));
    await delay(350);
    expect(jumphost.pipes.size).toBe(1);
    // As a stopped process: the connection stays open and nothing answers.
    socket.pause();
    await nothingLeft(jumphost, talking);
    socket.terminate();
  });

  test("refuses text with 1003 and a frame over the limit with 1009", async () => {
    const jumphost = await startJumphost({ maxFrameBytes: 1_000 });
    const far = await tcpVehicle(nextHost());
    const text = await openPipe(jumphost, headersFor(far));
    text.send("text");
    expect(await closeOf(text)).toMatchObject({ code: 1003 });
    const large = await openPipe(jumphost, headersFor(far));
    large.send(Buffer.alloc(1_001));
    expect(await closeOf(large)).toMatchObject({ code: 1009 });
    await nothingLeft(jumphost, far);
    expect(far.received()).toBe("");
  });

  test("a stop closes every pipe with a request to reconnect, accepts no new one and leaves nothing open", async () => {
    const jumphost = await startJumphost();
    const far = await tcpVehicle(nextHost());
    const socket = await openPipe(jumphost, headersFor(far));
    const closed = closeOf(socket);
    await jumphost.stop();
    expect(await closed).toEqual({ code: 1012, reason: "the jumphost restarts; connect again" });
    await expect(dial(jumphost, headersFor(far))).rejects.toThrow("ECONNREFUSED");
    await nothingLeft(jumphost, far);
  });

  test("a stop answers upgrades that still dial, and does not wait for silent connections", async () => {
    let stopped: Promise<void> | undefined;
    const jumphost = await startJumphost({
      isActive: () => {
        stopped ??= jumphost.stop();
        return true;
      },
    });
    const silent = await rawClient(Number(new URL(jumphost.url).port));
    const far = await tcpVehicle(nextHost());
    expect(await dial(jumphost, headersFor(far))).toMatchObject({
      status: 503,
      body: { reason: "stopping" },
    });
    await stopped;
    await silent.closed;
    await nothingLeft(jumphost, far);
  });
});

describe("a peer that does not read", () => {
  const limits: Partial<JumphostOptions> = { maxBufferedBytes: 64 * 1024 };
  const chunk = Buffer.alloc(64 * 1024, 7);
  const most = 512 * 1024 * 1024;

  test("makes the gateway wait: the buffers are bounded, and every byte arrives", async () => {
    const jumphost = await startJumphost(limits);
    const slow = await tcpVehicle(nextHost(), (socket) => socket.pause());
    const socket = await openPipe(jumphost, headersFor(slow));
    let sent = 0;
    while (socket.bufferedAmount < 4 * 1024 * 1024 && sent < most) {
      socket.send(chunk);
      sent += chunk.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sent).toBeLessThan(most);
    const taken = await countIn(jumphost, /bytes_total\{direction="to_vehicle",.*\} (\d+)/);
    expect(taken).toBeLessThan(sent);
    let arrived = 0;
    const [far] = slow.sockets;
    far?.on("data", (data) => {
      arrived += data.length;
    });
    far?.resume();
    await until(() => arrived === sent);
    socket.terminate();
    await nothingLeft(jumphost, slow);
  });

  test("makes the vehicle wait: the buffers are bounded, and every byte arrives", async () => {
    const jumphost = await startJumphost(limits);
    let sent = 0;
    let waiting = false;
    const fast = await tcpVehicle(nextHost(), (socket) => {
      const write = () => {
        while (!socket.destroyed && sent < most) {
          sent += chunk.length;
          waiting = !socket.write(chunk);
          if (waiting) return;
        }
      };
      socket.on("drain", write);
      write();
    });
    const socket = await openPipe(jumphost, headersFor(fast));
    socket.pause();
    let arrived = 0;
    socket.on("message", (data: Buffer) => {
      arrived += data.length;
    });
    // Still: nothing moves any more.
    await until(async () => {
      const before = sent;
      await delay(300);
      return waiting && sent === before;
    });
    expect(sent).toBeLessThan(most);
    const stuck = sent;
    socket.resume();
    await until(() => arrived > stuck);
    socket.terminate();
    await nothingLeft(jumphost, fast);
  });
});

test("a gateway that disconnects while the vehicle is dialled leaves nothing", async () => {
  const far = await tcpVehicle(nextHost());
  const attempts = Array.from({ length: 50 }, () => {
    const socket = new WebSocket(shared.url, { headers: headersFor(far) });
    socket.on("error", () => {});
    setImmediate(() => socket.terminate());
    return new Promise((resolve) => socket.on("close", resolve));
  });
  await Promise.all(attempts);
  await nothingLeft(shared, far);
});
