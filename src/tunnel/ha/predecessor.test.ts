import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createLogger } from "../../platform/process/log";
import { freshFolder } from "../../testing";
import { until } from "../../testing/until";
import { Predecessor } from "./predecessor";

const log = createLogger("test", "silent");

async function server(status: number, body: object) {
  const http = createServer((_, response) => response.writeHead(status).end(JSON.stringify(body)));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const close = () => {
    http.closeAllConnections();
    return new Promise((resolve) => http.close(resolve));
  };
  return { url, close };
}

test.each([
  [200, "ready"],
  [503, "starting"],
])("a hub waits while the one before answers %d %s, and a file tells so", async (code, status) => {
  const folder = freshFolder("hub");
  const [before, { url, close }] = [
    new Predecessor(join(folder, "lease.json"), log),
    await server(code, { status }),
  ];
  const ended = before.awaitPort(url);
  await until(() => existsSync(join(folder, "waiting")));
  await close();
  await ended;
  expect(existsSync(join(folder, "waiting"))).toBe(true);
  before.hasEnded();
  expect(existsSync(join(folder, "waiting"))).toBe(false);
});

test("a hub that serves already, and takes its lock again, is not said to wait", async () => {
  const folder = freshFolder("hub");
  const before = new Predecessor(join(folder, "lease.json"), log);
  before.hasEnded();
  await before.wait();
  expect(existsSync(join(folder, "waiting"))).toBe(false);
});

test("another program at the port, and none, are not waited for", async () => {
  const folder = freshFolder("hub");
  const before = new Predecessor(join(folder, "lease.json"), log);
  const { url, close } = await server(200, { status: "ok" });
  await before.awaitPort(url);
  await close();
  await before.awaitPort(url);
  before.hasEnded();
  expect(existsSync(join(folder, "waiting"))).toBe(false);
});
