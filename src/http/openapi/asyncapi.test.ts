import Ajv, { type ValidateFunction } from "ajv";
import { closeCodes } from "../../domain/relay-sockets";
import { errorMessages } from "../../features/telemetry/error-messages";
import { streamsOf, TELEMETRY_TYPES } from "../../features/telemetry/streams";
import { startOnboard } from "../../onboard";
import { loadConfig, onboardConfig } from "../../platform/config";
import { atEndOfFile } from "../../testing";
import { TestSticks } from "../../testing/sticks";
import { eventually } from "../../testing/until";
import { TestWatcher } from "../../testing/watcher";
import { simulatedDrone } from "../../testing/worlds/simulated-drone";
import { startTestSimulator, type TestVehicleOptions } from "../../testing/worlds/simulator";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { startTestRelay } from "../../testing/worlds/start-relay";

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
}
interface Message {
  readonly name: string;
  readonly payload: Schema;
  readonly examples?: readonly { readonly name: string; readonly payload: unknown }[];
  readonly "x-streams"?: readonly string[];
}
interface Channel {
  readonly address: string;
  readonly messages: Readonly<Record<string, Message>>;
  readonly bindings: { readonly ws: { readonly query: Schema } };
  readonly "x-refusals": readonly { readonly status: number }[];
  readonly "x-close-codes": readonly { readonly code: number; readonly meaning: string }[];
}

let gateway: TestGateway;
let document: { readonly asyncapi: string; readonly channels: Readonly<Record<string, Channel>> };
beforeAll(async () => {
  gateway = await startTestGateway({ QUOTA_SOCKETS: "2", TELEMETRY_MAX_SOCKETS: "3" });
  document = (await (await fetch(`${gateway.url}/asyncapi.json`)).json()) as typeof document;
});

const channel = (name: string) => document.channels[name] as Channel;
const messageOf = (name: string, id: string) => channel(name).messages[id] as Message;

const ajv = new Ajv({ allErrors: true });
const checks = new Map<Schema, ValidateFunction>();

/** The faults of a payload by the description, in which an unknown field is one. */
function faultsOf({ payload: schema }: Message, payload: unknown): string[] {
  const check = checks.get(schema) ?? ajv.compile(schema);
  checks.set(schema, check);
  check(payload);
  return (check.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

test("it is AsyncAPI 3.0, public and below the base path alike, and each reference leads somewhere", async () => {
  expect(document.asyncapi).toBe("3.0.0");
  expect((await gateway.api.get("/asyncapi.json")).body).toEqual(document);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, at]) => at);
  expect(references.length).toBeGreaterThan(50);
  const at = (path = "") =>
    path.split("/").reduce<unknown>((node, key) => Reflect.get(Object(node), key), document);
  expect(references.filter((reference) => at(reference) === undefined)).toEqual([]);
});

/** The paths of all fields in a schema, each with its description. */
function fieldsOf(schema: Schema, path: string): [path: string, description: string | undefined][] {
  const { properties = {}, items, additionalProperties, anyOf = [] } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, field]): ReturnType<typeof fieldsOf> => {
      const at = `${path}.${name}`;
      return [[at, field.description], ...fieldsOf(field, at)];
    }),
    ...[items, additionalProperties, ...anyOf].flatMap((inner) =>
      typeof inner === "object" ? fieldsOf(inner, `${path}[]`) : [],
    ),
  ];
}

test("each field of each payload and query says what it is", () => {
  const fields = Object.values(document.channels).flatMap(({ address, messages, bindings }) => [
    ...fieldsOf(bindings.ws.query, `${address}?`),
    ...Object.entries(messages).flatMap(([id, { payload }]) =>
      payload ? [[id, payload.description ?? payload.properties] as const, ...fieldsOf(payload, id)] : [],
    ),
  ]);
  expect(fields.length).toBeGreaterThan(100);
  expect(fields.filter(([, description]) => !description).map(([path]) => path)).toEqual([]);
});

test("each type of telemetry has a message with its streams", () => {
  for (const type of TELEMETRY_TYPES)
    expect(messageOf("telemetry", `telemetry_data_${type}`)).toMatchObject({
      name: "telemetry_data",
      payload: { properties: { type: { const: type }, data: { type: "object" } } },
      "x-streams": streamsOf(type),
    });
});

test("each error message and each close code is in it", () => {
  const { examples = [] } = messageOf("telemetry", "error");
  expect(examples.map(({ name }) => name)).toEqual(Object.keys(errorMessages));
  for (const example of examples)
    expect(faultsOf(messageOf("telemetry", "error"), example.payload)).toEqual([]);
  const described = channel("redispad")["x-close-codes"];
  expect(described.map(({ code }) => code)).toEqual(Object.values(closeCodes));
  expect(described.filter(({ meaning }) => !meaning)).toEqual([]);
});

test("a connection is refused with the statuses that it has", async () => {
  const { token } = await gateway.newUser();
  const refusal = async (query: string) => {
    const { status } = await fetch(`${gateway.url}/socket.io/?${query}`);
    return status;
  };
  const connect = (as: string) => refusal(`EIO=4&transport=polling&token=${as}`);
  expect(await refusal("EIO=4&transport=pigeon")).toBe(400);
  expect([await connect(token), await connect(token), await connect(token)]).toEqual([200, 200, 429]);
  expect([await connect("none"), await connect("none")]).toEqual([200, 503]);
  expect(channel("telemetry")["x-refusals"].map(({ status }) => status)).toEqual([429, 503, 400]);
});

const vehicles: [what: string, options: Partial<TestVehicleOptions>][] = [
  ["an ArduPilot copter", {}],
  ["an ArduPilot rover", { kind: "rover" }],
  ["a PX4 copter", { autopilot: "px4" }],
];

test.each(vehicles)("the events for %s are as it describes them", async (_what, options) => {
  const own = await startTestGateway();
  const user = await own.newUser();
  const drone = await simulatedDrone(user.api, options);
  const watcher = new TestWatcher(own.url, user.token);
  await watcher.next("connected");
  watcher.socket.emit("subscribe_telemetry", { drone_id: drone.id, stream_type: "radar" });
  await watcher.next("error");
  await watcher.subscribe(drone.id, "dashboard");
  await watcher.subscribe(drone.id, "gps");
  await watcher.unsubscribe(drone.id, "gps");
  await user.api.post("/drone/action/arm", { drone_id: drone.id });
  await user.api.post(`/drone/${drone.id}/params/pull`);
  await eventually("five frames of every type that repeats", () =>
    TELEMETRY_TYPES.every((type) => watcher.frames(type).length >= (/home|logs|params/.test(type) ? 1 : 5)),
  );
  await eventually("a position with yaw", () => watcher.frames("gps").some(({ data }) => "yaw" in data));
  const faults = watcher.received.flatMap(({ event, data }) => {
    const id = event === "telemetry_data" ? `${event}_${data.type}` : event;
    return faultsOf(messageOf("telemetry", id), data).map((fault) => `${id}: ${fault}`);
  });
  expect([...new Set(faults)]).toEqual([]);
  expect(new Set(watcher.received.map(({ event }) => event))).toEqual(
    new Set(["connected", "session", "error", "subscription_confirmed", "telemetry_data"]),
  );
});

test("an unknown field does not fit", () => {
  const frame = { type: "relalt", drone_id: 1, data: { data: 1, height: 1 } };
  expect(faultsOf(messageOf("telemetry", "telemetry_data_relalt"), frame)).toEqual([
    expect.stringContaining("height"),
  ]);
});

test("a pilot's frames and the agent's answers are as it describes them", async () => {
  const relay = await startTestRelay();
  const drone = await relay.newDrone();
  const simulator = await startTestSimulator([{ kind: "copter", onboardPort: 0 }], 4);
  atEndOfFile(() => simulator.stop());
  const agent = await startOnboard(
    loadConfig(onboardConfig, {
      ...{ DRONE_IP: drone.ip, REDIS_URL: relay.redisUrl, ONBOARD_PORT: "0", LOG_LEVEL: "silent" },
      ONBOARD_VEHICLE: `127.0.0.1:${simulator.vehicle.onboardPort}`,
    }),
  );
  atEndOfFile(() => agent.lifecycle.stop("the tests are over"));
  const pilot = await relay.pilot(`/redispad/${drone.id}`).open();
  const sent: string[] = [];
  const sticks = new TestSticks((frame) => {
    sent.push(frame);
    pilot.send(frame);
  });
  atEndOfFile(async () => sticks.letGo());
  const answers = () => pilot.frames.map((frame) => JSON.parse(frame));
  const has = (found: object) => eventually(JSON.stringify(found), () => answers().some(matches(found)));

  await eventually("the agent hears both sides", () => agent.subscribed && !!agent.autopilot.vehicle);
  pilot.send("no stick frame");
  await has({ type: "ack", reason: "invalid" });
  sticks.hold({ pitch: 0.4 });
  await has({ type: "ack", reason: "settling" });
  await has({ type: "ack", accepted: true });
  await has({ type: "status", state: "steering" });
  const redis = await relay.redis();
  await redis.publish(`${drone.ip}:video_source`, "{}");
  await has({ type: "video", ok: false });
  sticks.letGo();
  await has({ type: "status", state: "stopping" });

  const faults = [
    ...sent.flatMap((frame) => faultsOf(messageOf("redispad", "sticks"), JSON.parse(frame))),
    ...answers().flatMap((answer) => faultsOf(messageOf("redispad", answer.type), answer)),
  ];
  expect([...new Set(faults)]).toEqual([]);
});

const matches = (wanted: object) => (found: Record<string, unknown>) =>
  Object.entries(wanted).every(([key, value]) => found[key] === value);

test("a drone that is unknown gives the text and the close code that it has", async () => {
  const relay = await startTestRelay();
  for (const route of ["redispad", "gamepad"]) {
    const pilot = relay.pilot(`/${route}/999999`);
    const { code } = await pilot.closed;
    expect(channel(route)["x-close-codes"].map((described) => described.code)).toContain(code);
    for (const frame of pilot.frames) expect(faultsOf(messageOf(route, "lookup_failure"), frame)).toEqual([]);
    expect(pilot.frames).toHaveLength(1);
  }
});
