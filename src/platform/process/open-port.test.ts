import { once } from "node:events";
import { connect, createServer, Server } from "node:net";
import { atEndOfFile } from "../../testing";
import { openPort } from "./open-port";

const closeAtEnd = (server: Server) => {
  atEndOfFile(async () => void server.close());
  return server;
};

test.each([
  ["::", /^\[::\]:\d+$/, ["127.0.0.1", "::1"]],
  ["0.0.0.0", /^0\.0\.0\.0:\d+$/, ["127.0.0.1"]],
  ["::1", /^\[::1\]:\d+$/, ["::1"]],
])("a port at %s has a URL, and is reachable at the right addresses", async (host, url, callers) => {
  const opened = await openPort(closeAtEnd(createServer()), 0, host);
  expect(opened).toMatch(url);
  const port = Number(new URL(`tcp://${opened}`).port);
  for (const caller of callers) {
    const socket = connect({ host: caller, port });
    await once(socket, "connect");
    socket.destroy();
  }
});

/** A fake of a server on a machine whose kernel knows no IPv6. */
class WithoutIpv6 extends Server {
  override listen(...given: unknown[]): this {
    if (given[1] !== "::") return super.listen(...(given as [number, string]));
    const refusal = Object.assign(new Error("listen EAFNOSUPPORT"), { code: "EAFNOSUPPORT" });
    process.nextTick(() => this.emit("error", refusal));
    return this;
  }
}

test("where there is no IPv6, :: is every IPv4 address", async () => {
  expect(await openPort(closeAtEnd(new WithoutIpv6()), 0, "::")).toMatch(/^0\.0\.0\.0:\d+$/);
});

test("a port that is taken is named", async () => {
  const taken = Number((await openPort(closeAtEnd(createServer()), 0, "::1")).split(":").at(-1));
  await expect(openPort(createServer(), taken, "::1")).rejects.toThrow(
    `Cannot listen on [::1]:${taken} (EADDRINUSE).`,
  );
});
