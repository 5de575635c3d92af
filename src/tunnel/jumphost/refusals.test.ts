import { connect } from "node:net";
import WebSocket from "ws";
import { nextHost, tcpVehicle, unresponsiveVehicle } from "../../testing/fakes/tcp-vehicle";
import { countIn, dial, headersFor, nothingLeft, openPipe } from "../../testing/jumphost-client";
import { until } from "../../testing/until";
import { startJumphost, type TestJumphost } from "../../testing/worlds/jumphost";

let shared: TestJumphost;
beforeAll(async () => {
  shared = await startJumphost();
});

describe("an upgrade is refused", () => {
  const to = (host: string, port = "5001") => ({ "x-drone-ip": host, "x-drone-port": port });

  test.each([
    ["no header", {}],
    ["no port", { "x-drone-ip": "127.0.0.1" }],
    ["no address", { "x-drone-port": "5001" }],
    ["an IPv4-mapped address", to("::ffff:127.0.0.1")],
    ["an IPv6 address", to("[::1]")],
    ["an address with a port", to("127.0.0.1:22")],
    ["a URL", to("http://127.0.0.1/")],
    ["port 0", to("127.0.0.1", "0")],
    ["port 65536", to("127.0.0.1", "65536")],
    ["a port in hex", to("127.0.0.1", "0x16")],
    ["a port with a sign", to("127.0.0.1", "+22")],
    ["a negative port", to("127.0.0.1", "-22")],
    ["two addresses", { "x-drone-ip": ["127.0.0.1", "127.0.0.2"], "x-drone-port": "5001" }],
    ["a fence of 0", { ...to("127.0.0.1"), "x-link-fence": "0" }],
    ["a fence of 2^53", { ...to("127.0.0.1"), "x-link-fence": "9007199254740992" }],
    ["a fence with a fraction", { ...to("127.0.0.1"), "x-link-fence": "1.5" }],
  ])("with 400 for %s", async (_, headers) => {
    expect(await dial(shared, headers as Record<string, string>)).toMatchObject({
      status: 400,
      body: { reason: "malformed", error: expect.stringMatching(/x-(drone|link)-/) },
    });
  });

  test("with 401 without the secret, before its other headers are read", async () => {
    const strict = await startJumphost({ secret: "a bearer secret" });
    for (const authorization of ["", "Bearer wrong", "Basic a bearer secret"]) {
      expect(await dial(strict, { ...to("nowhere!"), authorization })).toMatchObject({
        status: 401,
        body: { reason: "unauthenticated" },
      });
    }
    const far = await tcpVehicle(nextHost());
    const socket = await openPipe(strict, { ...headersFor(far), authorization: "Bearer a bearer secret" });
    socket.terminate();
    expect(await countIn(strict, /refusals_total\{reason="unauthenticated",.*\} (\d+)/)).toBe(3);
  });

  test("with 502 where nothing listens and 504 where no answer comes in time", async () => {
    const jumphost = await startJumphost({ connectMs: 300 });
    const gone = await tcpVehicle(nextHost());
    expect(await dial(jumphost, to(gone.host, "1"))).toMatchObject({
      status: 502,
      body: { reason: "unreachable", error: expect.stringContaining("ECONNREFUSED") },
    });
    const deaf = await unresponsiveVehicle(nextHost());
    expect(await dial(jumphost, headersFor(deaf))).toMatchObject({
      status: 504,
      body: { reason: "timeout", error: expect.stringContaining("does not answer") },
    });
  });

  test("with 503 at the limit of pipes", async () => {
    const jumphost = await startJumphost({ maxPipes: 2 });
    const [one, two] = [await tcpVehicle(nextHost()), await tcpVehicle(nextHost())];
    const held = [await openPipe(jumphost, headersFor(one)), await openPipe(jumphost, headersFor(one))];
    expect(await dial(jumphost, headersFor(two))).toMatchObject({
      status: 503,
      body: { reason: "too_many" },
    });
    for (const socket of held) socket.terminate();
    await nothingLeft(jumphost, one, two);
    (await openPipe(jumphost, headersFor(one))).terminate();
  });

  test("with 426 for a plain request, and 400 for a malformed handshake", async () => {
    const plain = await fetch(shared.url.replace("ws", "http"));
    expect([plain.status, await plain.json()]).toMatchObject([426, { error: expect.any(String) }]);
    const far = await tcpVehicle(nextHost());
    const { port } = new URL(shared.url);
    const raw = connect(Number(port), "127.0.0.1");
    let answer = "";
    raw.on("data", (bytes) => {
      answer += bytes;
    });
    raw.write(
      `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nx-drone-ip: ${far.host}\r\nx-drone-port: ${far.port}\r\n\r\n`,
    );
    await until(() => answer.startsWith("HTTP/1.1 400"));
    await nothingLeft(shared, far);
    raw.destroy();
  });
});

test("an upgrade that still dials is refused when another hub begins to serve", async () => {
  const answers = [true];
  const jumphost = await startJumphost({ isActive: () => answers.shift() ?? false });
  const far = await tcpVehicle(nextHost());
  expect(await dial(jumphost, headersFor(far))).toMatchObject({ status: 503, body: { reason: "standby" } });
  await nothingLeft(jumphost, far);
});

test("upgrades that still dial count as pipes", async () => {
  const jumphost = await startJumphost({ maxPipes: 1 });
  const dialled = dial(jumphost, headersFor(await unresponsiveVehicle(nextHost())));
  dialled.catch(() => {});
  const far = await tcpVehicle(nextHost());
  await until(async () => {
    const second = await dial(jumphost, headersFor(far));
    if (second instanceof WebSocket) second.close();
    return "status" in second && second.body.reason === "too_many";
  }, 2_500);
});
