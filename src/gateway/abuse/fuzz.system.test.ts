import fc from "fast-check";
import { createUserObjects, droneApi, type UserObjects } from "../../testing/access/user-objects";
import { requestsTo } from "../../testing/spec-fuzz";
import { type Operation, operationsOf, pathOf } from "../../testing/spec-requests";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";

const RUNS = Number(process.env.FUZZ_RUNS ?? 12);
const SEED = Number(process.env.FUZZ_SEED ?? 20_240_601);

/** They would end the token that all else is asked with, or the drone that is asked about. */
const spared = new Set(["DELETE /logout", "DELETE /drone/:drone_id"]);

let gateway: TestGateway;
let own: UserObjects;
let operations: Operation[];

beforeAll(async () => {
  gateway = await startTestGateway({
    LINK_CONNECT_TIMEOUT_MS: "20",
    LOGIN_FAILURES_PER_15_MINUTES: "0",
    NETWORK_LOGIN_FAILURES_PER_15_MINUTES: "0",
    ...{ QUOTA_REQUESTED_MAILS: "0", QUOTA_NETWORK_MAILS: "0", QUOTA_REGISTRATIONS: "0" },
  });
  // Ids begin at 1, so that small numbers find objects of the caller.
  own = await createUserObjects(gateway);
  operations = operationsOf((await gateway.api.get("/apispec.json")).body);
});

/** A 500 that says no more than that something went wrong is a fault of ours, described or not. */
const isUnforeseen = (text: string) => text.includes("Something went wrong on our side");

test("requests that nearly fit /apispec.json get a described status, and never an internal error", async () => {
  const faults: string[] = [];
  for (const operation of operations.filter(({ name }) => !spared.has(name))) {
    const route = gateway.features.routes.find(
      ({ method, path }) => `${method.toUpperCase()} ${path}` === operation.name,
    );
    const api =
      route?.guard === "drone"
        ? droneApi(gateway, own.ip)
        : gateway.api.as(route?.guard === "video_room" ? own.roomToken : own.user.token);
    const ask = async ({
      parameters,
      body,
    }: {
      parameters: Readonly<Record<string, unknown>>;
      body?: string | undefined;
    }) => {
      const path = pathOf(operation, ({ name }) => wellFormed(parameters[name]));
      const reply = await api.send(operation.method, path, body);
      const text = JSON.stringify(reply.body);
      // A parameter that holds a slash is another path, which is not ours.
      const described = operation.statuses.has(reply.status) || reply.status === 404 || reply.status === 405;
      if (!described || isUnforeseen(text))
        throw new Error(
          `${operation.method} ${path.slice(0, 300)} ${body?.slice(0, 600)}: ${reply.status} ${text.slice(0, 300)}`,
        );
    };
    const found = await fc.check(fc.asyncProperty(requestsTo(operation), ask), {
      numRuns: RUNS,
      seed: SEED,
      interruptAfterTimeLimit: 20_000,
    });
    if (found.failed) faults.push(`${operation.name}: ${String((found.errorInstance as Error)?.message)}`);
  }
  expect(faults).toEqual([]);
  expect((await own.user.api.get("/drones")).status).toBe(201);
}, 120_000);

/** As it can stand in a URL: a surrogate by itself cannot. */
const wellFormed = (value: unknown): unknown =>
  typeof value === "string" || (typeof value === "object" && value !== null)
    ? Buffer.from(typeof value === "string" ? value : JSON.stringify(value))
        .toString()
        .slice(0, 2_000)
    : value;
