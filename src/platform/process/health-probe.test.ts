import { createServer } from "node:http";
import { closeServer, listen } from "../../http/server/listen";
import { ask, probeOf } from "./health-probe";

test("the probe follows the entrypoint that runs, its port and its address", () => {
  const relay = ["/usr/bin/tini", "--", "node", "dist/cmd/relay.js"];
  expect(probeOf(relay, { HOST: "0.0.0.0" })).toEqual({ how: "http", host: "127.0.0.1", port: 7070 });
  expect(probeOf(["node", "/app/dist/cmd/tunnel.js"], { HOST: "10.0.0.7", TUNNEL_PORT: "6000" })).toEqual({
    ...{ how: "http", host: "10.0.0.7", port: 6000 },
  });
  expect(probeOf(relay, { HOST: "::" })).toMatchObject({ host: "127.0.0.1" });
  expect(probeOf(["node", "dist/cmd/simulator.js"], {})).toMatchObject({ how: "tcp", port: 5760 });
  expect(probeOf(["node", "dist/cmd/migrate.js", "--wait"], {})).toEqual({ how: "running" });
});

test.each(["127.0.0.1", "::1"])(
  "at %s a process that says 200 is well, one that fails or is gone is not",
  async (host) => {
    let status = 200;
    const server = createServer((_request, response) => response.writeHead(status).end());
    const port = Number(new URL(await listen(server, 0, host)).port);
    const probe = { how: "http", host, port } as const;
    await ask(probe);
    await ask({ ...probe, how: "tcp" });
    status = 500;
    await expect(ask(probe)).rejects.toThrow("500");
    await closeServer(server);
    await expect(ask(probe)).rejects.toThrow();
    await expect(ask({ ...probe, how: "tcp" })).rejects.toThrow("ECONNREFUSED");
    await expect(ask({ how: "running" })).resolves.toBeUndefined();
  },
);
