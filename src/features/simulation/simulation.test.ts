import { type AddressInfo, createServer } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";
import { freePort } from "../../laptop/free-port";
import { openDatabase } from "../../platform/postgres/db";
import { atEndOfFile, freshDatabase } from "../../testing";
import { testExamples } from "../../testing/contract/examples";
import { FakeEc2 } from "../../testing/fakes/fake-ec2";
import { FakeKubernetes } from "../../testing/fakes/fake-kubernetes";
import { until } from "../../testing/until";
import { startTestGateway } from "../../testing/worlds/start-gateway";
import { estimateCost } from "./cost";
import { Ec2Provider } from "./ec2-provider";
import { KubernetesProvider } from "./kubernetes-provider";
import { ProcessProvider } from "./process-provider";
import type { Instance, SimulationProvider } from "./provider";
import { simulationRoutes } from "./simulation.routes";
import { SimulationService } from "./simulation.service";

const perHour = 0.95;

test("a session's cost is its hours at the rate, its storage's share of a month and its transfer", () => {
  const [start, end] = [new Date("2027-01-01T00:00:00Z"), new Date("2027-01-01T02:00:00Z")];
  expect(estimateCost(perHour, start, end)).toEqual({
    compute: 1.9,
    storage: 0.0066,
    transfer: 0.09,
    total: 1.9966,
  });
  expect(estimateCost(perHour, end, start).total).toBe(0);
});

/** A service on a database of its own at a clock that the test moves, and as it is after a restart of ours. */
async function serviceOf(provider: SimulationProvider) {
  const db = openDatabase((await freshDatabase()).url);
  atEndOfFile(() => db.destroy());
  const clock = { time: new Date("2027-02-01T00:00:00Z"), now: () => clock.time };
  const fresh = () => new SimulationService({ db, clock, provider, perHour });
  return { service: fresh(), clock, restarted: fresh };
}

test("an EC2 instance is started and stopped, and its session survives a restart of ours", async () => {
  const ec2 = await FakeEc2.listening("i-1");
  const credentials = { accessKeyId: "a", secretAccessKey: "s" };
  const provider = new Ec2Provider({
    instanceId: "i-1",
    region: "us-east-1",
    endpoint: ec2.url,
    credentials,
  });
  atEndOfFile(() => provider.close());
  const { service, clock, restarted } = await serviceOf(provider);
  expect(await service.status()).toMatchObject({ instance: { state: "stopped" }, session: undefined });
  expect((await service.stop()).status).toBe("info");
  expect(await service.start()).toMatchObject({ status: "success", instance: { state: "pending" } });
  await expect(service.start()).rejects.toMatchObject({ code: "simulation_refused" });
  await expect(service.stop()).rejects.toMatchObject({ code: "simulation_refused" });
  ec2.settle();
  expect((await service.start()).status).toBe("info");
  clock.time = new Date("2027-02-01T02:00:00Z");
  expect(await restarted().status()).toMatchObject({
    instance: { instance_id: "i-1", state: "running", public_ip: "203.0.113.7", private_ip: "10.0.0.7" },
    session: { runtime_seconds: 7_200, cost: { total: 1.9966 } },
  });
  expect(await restarted().stop()).toMatchObject({
    status: "success",
    instance: { state: "stopping" },
    session: { cost: { total: 1.9966 } },
  });
  ec2.settle();
  expect((await service.status()).session).toBeUndefined();
  const changes = ec2.asked.filter((action) => action !== "DescribeInstances");
  expect(changes).toEqual(["StartInstances", "StopInstances"]);
});

test.each([
  ["that of AWS_REGION", "eu-central-1", "eu-central-1"],
  ["us-east-1 where none is named", undefined, "us-east-1"],
])("an EC2 instance's region is %s", async (_what, named, region) => {
  const before = { ...process.env };
  atEndOfFile(async () => void Object.assign(process.env, before));
  delete process.env.AWS_REGION;
  if (named) process.env.AWS_REGION = named;
  process.env.AWS_CONFIG_FILE = "/dev/null";
  const provider = new Ec2Provider({ instanceId: "i-1", endpoint: undefined });
  expect(await provider.specs()).toEqual({ provider: "ec2", region });
  await provider.close();
});

test("the session of an instance that was started elsewhere counts from its launch; an unknown instance is refused", async () => {
  const ec2 = await FakeEc2.listening("i-1");
  ec2.state = "running";
  ec2.launched = new Date("2027-01-31T23:00:00Z");
  const credentials = { accessKeyId: "a", secretAccessKey: "s" };
  const provide = (instanceId: string) =>
    new Ec2Provider({ instanceId, region: "us-east-1", endpoint: ec2.url, credentials });
  const { service } = await serviceOf(provide("i-1"));
  expect((await service.status()).session?.runtime_seconds).toBe(3_600);
  const unknown = await serviceOf(provide("i-2"));
  await expect(unknown.service.status()).rejects.toMatchObject({ code: "simulation_refused" });
});

/** A fake machine that keeps its state, and takes a request only when the test lets it. */
class SlowMachine implements SimulationProvider {
  state: Instance["state"] = "stopped";
  readonly asked: string[] = [];
  private waiting: (() => void)[] = [];

  async describe(): Promise<Instance> {
    return { instance_id: "slow", state: this.state, public_ip: null, private_ip: null, launched_at: null };
  }
  specs = async () => ({ provider: "slow" });
  start = () => this.take("start", "pending");
  stop = () => this.take("stop", "stopping");
  release(): void {
    for (const go of this.waiting.splice(0)) go();
  }
  private async take(action: string, next: Instance["state"]): Promise<void> {
    this.asked.push(action);
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.state = next;
  }
}

test("of concurrent starts and stops in any process one succeeds and the others are refused", async () => {
  const machine = new SlowMachine();
  const { service, restarted } = await serviceOf(machine);
  const other = restarted();
  const first = service.start();
  await until(() => machine.asked.length === 1);
  const busy = { code: "simulation_refused", message: expect.stringContaining("Another request") };
  for (const also of [service.start(), other.start(), other.stop()])
    await expect(also).rejects.toMatchObject(busy);
  machine.release();
  expect(await first).toMatchObject({ status: "success", instance: { state: "pending" } });
  await expect(other.start()).rejects.toMatchObject({ message: expect.stringContaining("is pending") });
  machine.state = "running";
  const stop = other.stop();
  await until(() => machine.asked.length === 2);
  await expect(service.start()).rejects.toMatchObject(busy);
  machine.release();
  expect(await stop).toMatchObject({ status: "success", session: { runtime_seconds: 0 } });
  await expect(service.start()).rejects.toMatchObject({ message: expect.stringContaining("is stopping") });
  expect(machine.asked).toEqual(["start", "stop"]);
});

test("a start that the provider refuses leaves no session and no lock", async () => {
  const machine = new SlowMachine();
  const { service } = await serviceOf(machine);
  const reason = new Error("out of machines");
  const failing = jest.spyOn(machine, "start").mockRejectedValueOnce(reason);
  await expect(service.start()).rejects.toMatchObject({ code: "simulation_refused", cause: reason });
  machine.state = "running";
  expect((await service.status()).session).toBeUndefined();
  expect(failing).toHaveBeenCalledTimes(1);
  expect((await service.start()).status).toBe("info");
});

test("a StatefulSet is scaled up and down with three kinds of request only", async () => {
  const cluster = await FakeKubernetes.listening();
  const kubeConfig = new KubeConfig();
  // As in a pod, whose context names its namespace.
  kubeConfig.loadFromOptions({
    clusters: [{ name: "fake", server: cluster.url, skipTLSVerify: true }],
    users: [{ name: "nobody" }],
    contexts: [{ name: "pod", cluster: "fake", user: "nobody", namespace: "fleet" }],
    currentContext: "pod",
  });
  const { service } = await serviceOf(new KubernetesProvider({ statefulSet: "simulator", kubeConfig }));
  expect((await service.status()).instance.state).toBe("stopped");
  expect((await service.start()).instance.state).toBe("pending");
  await expect(service.stop()).rejects.toMatchObject({ code: "simulation_refused" });
  cluster.settle();
  expect((await service.status()).instance).toMatchObject({
    instance_id: "fleet/simulator",
    state: "running",
    private_ip: "10.1.0.9",
  });
  expect((await service.stop()).instance.state).toBe("stopping");
  expect(cluster.replicas).toBe(0);
  cluster.settle();
  expect((await service.status()).instance.state).toBe("stopped");
  const set = "/apis/apps/v1/namespaces/fleet/statefulsets/simulator";
  expect([...new Set(cluster.asked)].sort()).toEqual([
    "GET /api/v1/namespaces/fleet/pods/simulator-0",
    `GET ${set}`,
    `PATCH ${set}/scale`,
  ]);
});

test("a built-in simulator that cannot start reports why once, and starts when it can", async () => {
  const [port, held] = [await freePort(), createServer()];
  await new Promise<void>((resolve) => held.listen(port, "127.0.0.1", resolve));
  const provider = new ProcessProvider(port);
  atEndOfFile(() => provider.close());
  const { service } = await serviceOf(provider);
  await service.start();
  const stopMessage = () =>
    service.status().then(
      () => undefined,
      (error: Error) => error.message,
    );
  let message: string | undefined;
  await until(async () => {
    message = await stopMessage();
    return message !== undefined;
  });
  expect(message).toContain(`port ${port}`);
  expect((await service.status()).instance.state).toBe("stopped");
  await new Promise((resolve) => held.close(resolve));
  await service.start();
  await until(async () => (await service.status()).instance.state === "running", 45_000);
}, 120_000);

test("the built-in simulator is started and stopped through the API, beside another with a computer on board", async () => {
  const [port, theirs] = [await freePort(), createServer()];
  await new Promise<void>((resolve) => theirs.listen(0, "127.0.0.1", resolve));
  atEndOfFile(async () => void theirs.close());
  // As on a laptop, whose own simulator's variables the gateway inherits.
  process.env.SIMULATOR_ONBOARD_PORT = String((theirs.address() as AddressInfo).port);
  atEndOfFile(async () => void delete process.env.SIMULATOR_ONBOARD_PORT);
  const gateway = await startTestGateway({
    SIMULATION_PROVIDER: "process",
    SIMULATOR_PORT: String(port - 30),
  });
  const { api } = await gateway.newUser();
  const state = async () => (await api.get("/simulator/status")).body.state;
  expect((await api.get("/simulator/metadata")).body).toMatchObject({
    status: "success",
    data: { hourly_rate: 0.95 },
  });
  expect(await state()).toBe("stopped");
  expect(await api.post("/simulator/stop")).toMatchObject({ status: 200, body: { status: "info" } });
  expect(await api.post("/simulator/start")).toMatchObject({
    status: 200,
    body: { status: "success", state: "pending" },
  });
  expect(await api.post("/simulator/start")).toMatchObject({ status: 400, body: { status: "error" } });
  await until(async () => (await state()) === "running", 45_000);
  expect((await api.get("/simulator/status")).body).toMatchObject({
    status: "running",
    instance_id: "built-in",
    public_ip: "127.0.0.1",
    cost_estimate: { total: expect.any(Number) },
  });
  expect(await api.post("/simulator/start")).toMatchObject({ status: 200, body: { status: "info" } });
  const stopped = await api.post("/simulator/stop");
  expect(stopped).toMatchObject({ status: 200, body: { status: "success" } });
  expect(stopped.body.message).toMatch(/total cost is about \d+\.\d\d/);
  await until(async () => (await state()) === "stopped", 45_000);
}, 120_000);

testExamples(
  () => simulationRoutes({} as SimulationService, async () => {}),
  ["GET /simulator/status", "POST /simulator/start", "POST /simulator/stop", "GET /simulator/metadata"],
);
