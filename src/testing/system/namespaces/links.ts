import { type ChildProcess, spawn } from "node:child_process";
import { type AddressInfo, connect, createServer, type ListenOptions, type Socket } from "node:net";
import { join } from "node:path";
import { atEndOfFile } from "../../clean-up";
import { freshFolder } from "../../fresh-servers";
import type { Namespace } from "./namespace";

/** Makes a server of the test reachable on the node's loopback, or at this port of it; returns its URL on loopback. */
export async function forwardFromNode(node: Namespace, url: string, at?: number): Promise<string> {
  const { hostname, port } = new URL(url);
  const path = join(freshFolder("link"), "socket");
  await forwarder({ path }, () => connect(Number(port), hostname));
  const inside = new URL(url);
  inside.hostname = "127.0.0.1";
  inside.port = String(await node.forward(path, at));
  return inside.href.replace(/\/$/, "");
}

/** Runs in the node, and forwards a unix socket to a TCP port of the node. */
const unixToTcp = `
const net = require("net");
const [path, host, port] = process.argv.slice(1);
net.createServer((near) => {
  const far = net.connect(Number(port), host);
  for (const [one, other] of [[near, far], [far, near]]) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
    one.pipe(other);
  }
}).listen(path, () => console.log("listening"));
`;

/** A port of the test's loopback that leads to a TCP port of the node. */
export async function forwardToNode(node: Namespace, port: number, host = "127.0.0.1"): Promise<number> {
  const path = join(freshFolder("link"), "socket");
  const child = spawnNodeIn(node, ["-e", unixToTcp, path, host, String(port)]);
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  return forwarder({ host: "127.0.0.1", port: 0 }, () => connect(path));
}

async function forwarder(at: ListenOptions, dial: () => Socket): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = dial();
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(at, resolve));
  atEndOfFile(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address() as AddressInfo | string;
  return typeof address === "string" ? 0 : address.port;
}

/** Starts Node.js with these arguments in the namespace, which ends it. */
export function spawnNodeIn(
  node: Namespace,
  args: readonly string[],
  env: Record<string, string> = {},
): ChildProcess {
  const { PATH = "" } = process.env;
  const [program, ...words] = [...node.prefix, process.execPath, ...args];
  return spawn(program as string, words, {
    env: { PATH, TZ: "UTC", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

interface NodeReply {
  readonly status: number;
  readonly body: ReturnType<typeof JSON.parse>;
}

/** Unlike `fetch` it sends every header it is given, twice where there are two. */
const asking = `
const [url, method, headers, body] = JSON.parse(process.argv[1]);
const asked = require("http").request(url, { method, headers, timeout: 10000 }, (reply) => {
  let text = "";
  reply.on("data", (chunk) => (text += chunk));
  reply.on("end", () => console.log(JSON.stringify({ status: reply.statusCode, text })));
});
asked.on("error", (error) => console.log(JSON.stringify({ status: 0, text: JSON.stringify(error.message) })));
asked.on("timeout", () => asked.destroy(new Error("timeout")));
asked.end(body);
`;

/** A request from the node; status 0 when there is no response. */
export function requestIn(
  node: Namespace,
  method: string,
  url: string,
  headers: Record<string, string | string[]> = {},
  body?: object,
): Promise<NodeReply> {
  const text = body && JSON.stringify(body);
  const framed = {
    ...headers,
    ...(text ? { "content-type": "application/json", "content-length": text.length } : {}),
  };
  const child = spawnNodeIn(node, ["-e", asking, JSON.stringify([url, method, framed, text])]);
  return new Promise((resolve) => {
    let said = "";
    child.stdout?.on("data", (bytes) => {
      said += bytes;
    });
    child.once("close", () => {
      const reply = JSON.parse(said) as { status: number; text: string };
      resolve({ status: reply.status, body: JSON.parse(reply.text) });
    });
  });
}
