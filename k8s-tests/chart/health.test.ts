import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { join } from "node:path";
import { atEndOfFile } from "../../src/testing";
import { type InterruptibleLink, interruptibleLink } from "../../src/testing/worlds/interruptible-link";
import { startTestGateway, type TestGateway } from "../../src/testing/worlds/start-gateway";
import { startTestRelay } from "../../src/testing/worlds/start-relay";
import { tunnelWorld } from "../../src/testing/worlds/start-tunnel";
import { SimulatedOs } from "../../src/tunnel/os/simulated-os";
import { hubAddress, type KubernetesObject, render } from "./helm";
import { workloads } from "./pods";
import { chartFolder } from "./values/values-schema";

/** The program of `helm test`, against real services. The vehicle and Janus are fakes. */
let gateway: TestGateway;
let link: InterruptibleLink;
let parts: Record<string, string>;

beforeAll(async () => {
  gateway = await startTestGateway();
  link = await interruptibleLink(gateway.url);
  const relay = await startTestRelay();
  const world = await tunnelWorld();
  const tunnel = await world.start(
    { os: new SimulatedOs(), dataplane: "auto" },
    { EDGE_GATEWAY_URL: link.url.replace(/\/$/, "") },
  );
  const vehicle = await port(createTcpServer());
  const janus = await port(
    createServer(({ url }, reply) => reply.writeHead(url === "/janus/info" ? 200 : 404).end()),
  );
  const host = (url: string) => new URL(url).host;
  parts = {
    gateway: `ready://${host(gateway.url)}`,
    // A name that the system resolves and a DNS server does not, like a Service's short name.
    relay: `each-ready://127.1:${new URL(relay.url).port}`,
    tunnel: `ready://${host(tunnel.url)}`,
    simulator: `tcp://127.0.0.1:${vehicle}`,
    janus: `http://127.0.0.1:${janus}/janus/info`,
  };
});

async function port(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEndOfFile(async () => void server.close());
  return (server.address() as AddressInfo).port;
}

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function helmTest(changed: Record<string, string> = {}, waitSeconds = "30"): Promise<Said> {
  const lines = Object.entries({ ...parts, ...changed }).map(([name, url]) => `${name} ${url}\n`);
  const env = {
    PATH: process.env.PATH,
    PARTS: lines.join(""),
    WAIT_SECONDS: waitSeconds,
  };
  return new Promise((resolve) => {
    const program = join(chartFolder, "files/health.cjs");
    const child = execFile(process.execPath, [program], { env }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    );
  });
}

test("finds every part healthy", async () => {
  const said = await helmTest();
  expect(said).toMatchObject({ code: 0, err: "" });
  for (const name of Object.keys(parts)) expect(said.out).toContain(`${name} is well`);
});

test("reports that the hub does not reach the gateway, with possible causes", async () => {
  link.cut();
  const said = await helmTest({}, "0");
  link.mend();
  expect(said.code).toBe(1);
  expect(said.err).toMatch(/^tunnel: does not reach gateway\..*NetworkPolicy/m);
  expect(said.out).not.toContain("tunnel is well");
});

test("waits for a part that becomes healthy", async () => {
  link.cut();
  const said = helmTest();
  setTimeout(() => link.mend(), 2_000);
  expect(await said).toMatchObject({ code: 0 });
});

test.each([
  ["gateway", "ready://127.0.0.1:1"],
  ["worker", "each-ready://127.0.0.1:1"],
  ["simulator", "tcp://127.0.0.1:1"],
  ["janus", "http://127.0.0.1:1/janus/info"],
])("names a %s that does not answer", async (name, url) => {
  const said = await helmTest({ [name]: url }, "0");
  expect(said).toMatchObject({ code: 1, err: expect.stringMatching(new RegExp(`^${name}: `, "m")) });
});

test("names a Janus with another answer", async () => {
  const said = await helmTest({ janus: parts.janus?.replace("/info", "/other") ?? "" }, "0");
  expect(said).toMatchObject({ code: 1, err: expect.stringContaining("janus: answers 404") });
});

describe("the parts that the chart checks", () => {
  const asked = (objects: readonly KubernetesObject[]) =>
    workloads(objects)
      .filter(({ labels }) => labels["app.kubernetes.io/component"] === "test")
      .flatMap(({ pod }) => pod.containers.flatMap(({ env = [] }) => env))
      .find(({ name }) => name === "PARTS")
      ?.value?.split("\n")
      .filter(Boolean);

  test("are all parts of the release", async () => {
    expect(asked(await render({}))).toEqual([
      "gateway ready://fleet-gateway:8080",
      "relay ready://fleet-relay:7070",
      "simulator tcp://fleet-simulator:5760",
    ]);
    const objects = await render({
      tunnel: { enabled: true, endpointHost: "vpn.example.com" },
      worker: { enabled: true },
      janus: { enabled: true, image: "registry.example.com/janus:1.1.2" },
      simulation: { provider: "kubernetes" },
      ...hubAddress,
    });
    expect(asked(objects)).toEqual([
      "gateway ready://fleet-gateway:8080",
      "relay ready://fleet-relay:7070",
      "tunnel ready://fleet-tunnel:5050",
      "worker each-ready://fleet-worker:9090",
      "janus http://fleet-janus:8088/janus/info",
    ]);
    const services = objects.filter(({ kind }) => kind === "Service").map(({ metadata }) => metadata.name);
    for (const line of asked(objects) ?? []) {
      expect(services).toContain(new URL(line.split(" ")[1] ?? "").hostname);
    }
  });
});
