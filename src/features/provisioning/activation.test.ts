import { request } from "node:http";
import { configKey } from "../../domain/client-config";
import { FakeAws } from "../../testing/fakes/fake-aws";
import { until } from "../../testing/until";
import {
  type GatewayWithTunnel,
  gatewayWithTunnel,
  type NewDrone,
} from "../../testing/worlds/gateway-with-tunnel";
import type { TestUser } from "../../testing/worlds/start-gateway";
import { ActivationService } from "./activation.service";

let world: GatewayWithTunnel;
let user: TestUser;

beforeAll(async () => {
  world = await gatewayWithTunnel();
});
beforeEach(async () => {
  user = await world.gateway.newUser();
});

const activate = (token: string, at = world) =>
  at.gateway.api.with({ "x-activation-token": token }).get("/drone/activate");
/** The wait for the tunnel, which the test of its length measures, takes a second and a half during the call. */
async function withShortWait<T>(call: () => Promise<T>): Promise<T> {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const waits = jest
    .spyOn(AbortSignal, "timeout")
    .mockImplementation((ms) => timeout(ms === 15_000 ? 1_500 : ms));
  try {
    return await call();
  } finally {
    waits.mockRestore();
  }
}
const tokenOf = async (id: number, at = world) =>
  (await at.gateway.deps.db("drones").where({ id }).first("activation_token")).activation_token;

test("a drone is given its registry login, its own config and its type's compose file", async () => {
  const drone = await world.newDrone(user, "rover");
  const { status, body, headers } = await activate(drone.activation_token);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    username: "drone",
    password: "pull only",
    repository: "registry.example.com/fleet",
  });
  expect(headers.get("cache-control")).toBe("no-store");
  const config = await (await fetch(body.vpn)).text();
  expect(config).toContain(`Address = ${drone.ip}/32`);
  expect(await (await fetch(body.compose)).text()).toContain("name: fleet-rover");
  expect(await tokenOf(drone.id)).toBeNull();
});

test("both links are signed for the address of users: a drone has no tunnel yet", async () => {
  const { activation_token } = await world.newDrone(user);
  const { body } = await activate(activation_token);
  expect([new URL(body.vpn).hostname, new URL(body.compose).hostname]).toEqual(["localhost", "localhost"]);
  expect(new URL(body.vpn).searchParams.get("X-Amz-Expires")).toBe("30");
});

test("the token may come as a Bearer", async () => {
  const { activation_token } = await world.newDrone(user);
  expect((await world.gateway.api.as(activation_token).get("/drone/activate")).status).toBe(200);
});

test("one of many concurrent calls is answered, and the others are refused", async () => {
  for (let round = 0; round < 5; round++) {
    const { activation_token } = await world.newDrone(user);
    const replies = await Promise.all(Array.from({ length: 8 }, () => activate(activation_token)));
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 406, 406, 406, 406, 406, 406, 406]);
  }
});

test("a simulated drone, a deleted one and an unknown id are refused alike", async () => {
  const drone = await world.newDrone(user);
  await user.api.delete(`/drone/${drone.id}`);
  for (const token of [drone.activation_token, "0000000000", "12345", "drop table", "1".repeat(5000)]) {
    const { status, body } = await activate(token);
    expect({ status, body }).toEqual({ status: 406, body: { error: expect.stringContaining("wrong") } });
  }
});

describe("without a ready tunnel", () => {
  let late: GatewayWithTunnel;
  let drone: NewDrone;

  beforeAll(async () => {
    late = await gatewayWithTunnel({ tunnel: "later" });
  });
  beforeEach(async () => {
    drone = await late.newDrone(await late.gateway.newUser());
  });

  test("the call waits about 15 seconds, is refused, and the token stays valid", async () => {
    const start = performance.now();
    const { status, body } = await activate(drone.activation_token, late);
    const seconds = (performance.now() - start) / 1000;
    expect({ status, body }).toEqual({ status: 406, body: { error: expect.stringContaining("still good") } });
    expect(seconds).toBeGreaterThan(14);
    expect(seconds).toBeLessThan(19);
    expect(await tokenOf(drone.id, late)).toBe(drone.activation_token);
  });

  /** Begun, and waiting for the tunnel. */
  async function waitingCall({ activation_token: token, ip }: NewDrone) {
    const asked = jest.spyOn(late.gateway.features.tunnel, "peer");
    const activations = jest.spyOn(ActivationService.prototype, "activate");
    const call = request(`${late.gateway.url}/api/v1/drone/activate`, {
      headers: { "x-activation-token": token },
    });
    const status = new Promise<number | undefined>((resolve) => {
      call.on("error", () => resolve(undefined));
      call.on("response", (reply) => resolve(reply.resume().statusCode));
    });
    call.end();
    await until(() => asked.mock.calls.some(([, address]) => address === ip));
    const at = activations.mock.calls.findIndex(([given]) => given === token);
    /** What comes of the call in the gateway. */
    const activation: ReturnType<ActivationService["activate"]> = activations.mock.results[at]?.value;
    return { status, activation, disconnect: () => call.destroy() };
  }

  test("a drone that is deleted meanwhile is refused at once", async () => {
    const owner = await late.gateway.newUser();
    const deleted = await late.newDrone(owner);
    const start = performance.now();
    const { status } = await waitingCall(deleted);
    await owner.api.delete(`/drone/${deleted.id}`);
    expect(await status).toBe(406);
    expect(performance.now() - start).toBeLessThan(12_000);
  });

  test("the call continues when the tunnel becomes ready, and a client that disconnects has not used the token", async () => {
    const { status } = await waitingCall(drone);
    const patient = await late.newDrone(await late.gateway.newUser());
    const gone = await waitingCall(patient);
    gone.disconnect();
    expect(await gone.status).toBeUndefined();
    await late.startTunnel();
    expect(await status).toBe(200);
    expect(await tokenOf(drone.id, late)).toBeNull();
    await expect(gone.activation).rejects.toMatchObject({ code: "activation_failed" });
    expect(await tokenOf(patient.id, late)).toBe(patient.activation_token);
    expect((await activate(patient.activation_token, late)).status).toBe(200);
  });
});

describe("the token stays valid when", () => {
  let drone: NewDrone;
  beforeEach(async () => {
    drone = await world.newDrone(user);
  });
  afterEach(async () => {
    expect(await tokenOf(drone.id)).toBe(drone.activation_token);
    expect((await activate(drone.activation_token)).status).toBe(200);
  });

  test("the tunnel service is down: 406", async () => {
    world.links.tunnel.cut();
    const { status, body } = await withShortWait(() => activate(drone.activation_token));
    world.links.tunnel.mend();
    expect({ status, body }).toEqual({
      status: 406,
      body: { error: expect.stringContaining("does not answer. The token is still good") },
    });
  });

  test("the object store is down: 500", async () => {
    world.links.objects.cut();
    const { status, body } = await activate(drone.activation_token);
    world.links.objects.mend();
    expect({ status, body }).toEqual({
      status: 500,
      body: { error: expect.stringContaining("object store") },
    });
  });

  test("the object store does not answer: 500, within a quarter of a minute", async () => {
    world.links.objects.stall();
    const start = performance.now();
    const { status } = await activate(drone.activation_token);
    world.links.objects.mend();
    expect(status).toBe(500);
    expect(performance.now() - start).toBeLessThan(15_000);
  });

  test("no compose file is published: 500, and the error names the operator's command", async () => {
    const { store } = world.gateway.deps;
    const text = await store.readSmall("compose/copter.yaml");
    await store.deletePrefix("compose/copter.yaml");
    const { status, body } = await activate(drone.activation_token);
    await store.write("compose/copter.yaml", text, "application/yaml");
    expect({ status, body }).toEqual({
      status: 500,
      body: { error: expect.stringContaining("publish-compose") },
    });
  });

  test("the config in the store has another key: the drone waits for its own", async () => {
    const { vpnStore, db } = world.gateway.deps;
    const key = configKey({ plane: "drones", rowId: drone.id });
    await until(() => vpnStore.head(key));
    const { vpn_key_id: before } = await db("drones").where({ id: drone.id }).first("vpn_key_id");
    await db("drones")
      .where({ id: drone.id })
      .update({ vpn_key_id: db.raw("gen_random_uuid()") });
    const reads = jest.spyOn(vpnStore, "beginsWith");
    const { body } = await activate(drone.activation_token);
    expect(await (await fetch(body.vpn)).text()).not.toContain(before);
    expect(reads.mock.calls.every(([, line]) => !line.includes(before))).toBe(true);
    // For what is asked after each of these tests.
    await db("drones").where({ id: drone.id }).update({ activation_token: drone.activation_token });
  });
});

describe("with a registry of ECR's", () => {
  let aws: FakeAws;
  let elastic: GatewayWithTunnel;

  beforeAll(async () => {
    process.env.AWS_ACCESS_KEY_ID = "test";
    process.env.AWS_SECRET_ACCESS_KEY = "test";
    aws = await FakeAws.start();
    process.env.AWS_ENDPOINT_URL_ECR = aws.url;
    elastic = await gatewayWithTunnel({
      env: {
        REGISTRY_PROVIDER: "ecr",
        REGISTRY_URL: "",
        REGISTRY_USERNAME: "",
        REGISTRY_PASSWORD: "",
      },
    });
  });
  afterEach(() => {
    aws.mode = "serve";
  });

  test("the login is what ECR gives, for the account's registry", async () => {
    const { activation_token } = await elastic.newDrone(await elastic.gateway.newUser());
    expect((await activate(activation_token, elastic)).body).toMatchObject({
      username: "AWS",
      password: "password-1",
      repository: "123456789012.dkr.ecr.us-east-1.amazonaws.com",
    });
  });

  test.each(["refuse", "garbage", "silent"] as const)(
    "an ECR that answers with %s is a 500, and the token stays good",
    async (mode) => {
      const { activation_token, id } = await elastic.newDrone(await elastic.gateway.newUser());
      aws.mode = mode;
      const { status, body } = await activate(activation_token, elastic);
      expect({ status, body }).toEqual({ status: 500, body: { error: expect.stringContaining("registry") } });
      expect(await tokenOf(id, elastic)).toBe(activation_token);
    },
  );
});
