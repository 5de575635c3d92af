import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { atEndOfFile } from "../../testing";
import { openPort } from "./open-port";
import { assertReachable, reachabilityProbes } from "./reachability";

async function port(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(async () => void server.close());
  return (server.address() as AddressInfo).port;
}

test.each(["http", "ws"])("whatever a server answers over %s, it is reached", async (scheme) => {
  const open = await port(createServer((_request, reply) => reply.writeHead(404).end()));
  await assertReachable(`${scheme}://127.0.0.1:${open}/some/path`);
});

test("a server of another kind is reached when it takes a connection", async () => {
  await assertReachable(`redis://edge:secret@127.0.0.1:${await port(createTcpServer())}`);
});

test("a server at an IPv6 address is reached", async () => {
  const server = createTcpServer();
  atEndOfFile(async () => void server.close());
  await assertReachable(`redis://${await openPort(server, 0, "::1")}`);
});

test.each(["http://127.0.0.1:1", "wss://127.0.0.1:1", "redis://127.0.0.1:1"])(
  "nobody is reached at %s, where nobody listens",
  async (url) => {
    await expect(assertReachable(url)).rejects.toThrow("ECONNREFUSED");
  },
);

test("a server that accepts connections and closes them, or sends nothing for a second, is not reached", async () => {
  const rude = await port(createTcpServer((socket) => socket.destroy()));
  await expect(assertReachable(`http://127.0.0.1:${rude}`)).rejects.toThrow();
  const silent = await port(createTcpServer(() => {}));
  await expect(assertReachable(`http://127.0.0.1:${silent}`)).rejects.toThrow("abort");
});

test("only services with a URL are checked", () => {
  expect(Object.keys(reachabilityProbes({ tunnel: "http://tunnel:5050", janus: undefined }))).toEqual([
    "tunnel",
  ]);
});
