import type { Ipv4 } from "../../domain/ipv4";
import { databaseDigest } from "../../testing/access/database-digest";
import { idsOf, kindOf, requestWithIds } from "../../testing/access/id-requests";
import {
  CONFIDENTIAL,
  createUserObjects,
  TEST_EDGE_SECRET,
  type UserObjects,
} from "../../testing/access/user-objects";
import { type Operation, operationsOf } from "../../testing/spec-requests";
import { type EdgeRequest, requestFrom, startEdge, type TestEdge } from "../../testing/worlds/start-edge";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";

// A busy machine takes several times as long.
jest.setTimeout(120_000);

/** Loopback addresses from which a drone, and another client, reach the edge. */
const DRONE = "127.0.9.2";
const UNKNOWN_ADDRESS = "127.0.9.9";

/** Ways in which a caller may say that it is the drone at this address. */
const forgeries = (ip: string): Readonly<Record<string, NonNullable<EdgeRequest["headers"]>>> => ({
  "X-Drone-IP": { "X-Drone-IP": ip },
  "X-DRONE-IP twice": { "X-DRONE-IP": [ip, ip] },
  "x-Real-ip": { "x-Real-ip": ip },
  "X-Forwarded-For": { "X-Forwarded-For": `${ip}, 127.0.0.1` },
  "x-forwarded-FOR twice": { "x-forwarded-FOR": [ip, "10.71.0.1"] },
  X_Drone_IP: { X_Drone_IP: ip, X_Real_IP: ip },
  Forwarded: { Forwarded: `for=${ip}` },
  "a header that takes the edge's away": { Connection: "close, X-Drone-IP, X-Edge-Secret", "X-Drone-IP": ip },
  "all of them, with the edge's secret": {
    ...{ "x-drone-ip": [ip, ip], "x-real-ip": ip, "x-forwarded-for": ip },
    "X-Edge-Secret": TEST_EDGE_SECRET,
  },
});

describe.each(["contract", "strict"] as const)("through the edge, in the %s profile", (profile) => {
  let gateway: TestGateway;
  let edge: TestEdge;
  let own: UserObjects;
  let others: UserObjects;
  let routes: Operation[];

  beforeAll(async () => {
    gateway = await startTestGateway({ ACCESS_PROFILE: profile, EDGE_SECRET: TEST_EDGE_SECRET });
    [own, others] = [await createUserObjects(gateway), await createUserObjects(gateway)];
    const url = gateway.droneUrl ?? gateway.url;
    edge = await startEdge([], { gateway: { port: 0, url, secret: TEST_EDGE_SECRET } });
    const drone = { ip: own.ip as Ipv4, keyId: "the drone's" };
    // Its packets come from an address of loopback here.
    for (const address of [DRONE, drone.ip]) edge.live.set(address, drone);
    await edge.look();
    const operations = operationsOf((await gateway.api.get("/apispec.json")).body);
    const names = gateway.features.routes
      .filter(({ guard }) => guard === "drone")
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    routes = operations.filter(({ name }) => names.includes(name));
    expect(routes.map(({ name }) => name).sort()).toEqual(names.sort());
  });

  const ask = async (
    from: string,
    operation: Operation,
    whose: UserObjects,
    headers: NonNullable<EdgeRequest["headers"]>,
  ) => {
    const { path, body } = requestWithIds(operation, () => whose);
    const reply = await requestFrom(from, `${edge.edge.url("gateway")}/api/v1${path}`, {
      method: operation.method,
      headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: reply.status, body: JSON.parse(reply.text), text: reply.text };
  };

  const takesIds = (operation: Operation) =>
    idsOf(operation).some((id) => kindOf(operation, id) !== "nothing of anybody's");

  test("forged headers do not give a drone access to another user's objects, on any route", async () => {
    const walked = routes.filter(takesIds);
    expect(walked.length).toBeGreaterThan(3);
    const before = await databaseDigest(gateway.deps.db);
    const wrong: string[] = [];
    for (const [forgery, headers] of Object.entries(forgeries(others.ip))) {
      for (const operation of walked) {
        const { status, text } = await ask(DRONE, operation, others, headers);
        if (![403, 404].includes(status) || text.includes(CONFIDENTIAL))
          wrong.push(`${operation.name} with ${forgery}: ${status} ${text}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(await databaseDigest(gateway.deps.db)).toEqual(before);
  });

  test("with forged headers a drone still gets its own data", async () => {
    const routesOfDrones = routes.filter((operation) => !takesIds(operation));
    expect(routesOfDrones.map(({ name }) => name)).toContain("GET /executions/current");
    for (const operation of routesOfDrones) {
      const plain = await ask(DRONE, operation, own, {});
      for (const [forgery, headers] of Object.entries(forgeries(others.ip))) {
        const { status, body } = await ask(DRONE, operation, own, headers);
        const drone_id = operation.name === "GET /executions/current" ? own.drone : body.data?.drone_id;
        expect([operation.name, forgery, status, body.data?.drone_id]).toEqual([
          operation.name,
          forgery,
          plain.status,
          drone_id,
        ]);
      }
    }
  });

  test("a client that is not a drone gets 403 on every drone route, whatever headers it sends", async () => {
    const before = await databaseDigest(gateway.deps.db);
    for (const [forgery, headers] of Object.entries(forgeries(own.ip))) {
      const replies = await Promise.all(
        routes.map(async (operation) => ({
          name: operation.name,
          status: (await ask(UNKNOWN_ADDRESS, operation, own, headers)).status,
        })),
      );
      expect([forgery, replies.filter(({ status }) => status !== 403)]).toEqual([forgery, []]);
    }
    expect(await databaseDigest(gateway.deps.db)).toEqual(before);
  });
});
