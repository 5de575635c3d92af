import { createServer } from "node:http";
import Koa from "koa";
import { Lifecycle } from "../platform/process/lifecycle";
import { createLogger } from "../platform/process/log";
import { createMetrics } from "../platform/process/metrics";
import { atEndOfFile } from "../testing/clean-up";
import { opsRoutes } from "./ops";
import { closeServer, listen } from "./server/listen";

test("a standby answers /readyz with 503, and /readyz?standby=ready with 200", async () => {
  const lifecycle = new Lifecycle(createLogger("test", "silent"), 1_000);
  const app = new Koa().use(opsRoutes(lifecycle, createMetrics("test"), {}));
  const server = createServer(app.callback());
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  const answers = async () => [
    lifecycle.state,
    (await fetch(`${url}/readyz`)).status,
    (await fetch(`${url}/readyz?standby=ready`)).status,
  ];
  expect(await answers()).toEqual(["starting", 503, 503]);
  lifecycle.standBy();
  expect(await answers()).toEqual(["standby", 503, 200]);
  lifecycle.ready();
  expect(await answers()).toEqual(["ready", 200, 200]);
  await lifecycle.stop("a test");
  expect(await answers()).toEqual(["stopped", 503, 503]);
});
