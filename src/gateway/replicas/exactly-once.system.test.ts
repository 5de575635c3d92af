import { createHash } from "node:crypto";
import sharp from "sharp";
import { ApiClient } from "../../testing/client";
import { invoiceObject, paymentEvent, subscriptionObject } from "../../testing/fakes/payment-events";
import { hasRecurringTimer } from "../../testing/repository/recurring-timers";
import { filesWith } from "../../testing/repository/source-files";
import { until } from "../../testing/until";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";
import { droneClient, put, upload } from "../../testing/worlds/uploads";

// A busy machine takes several times as long.
jest.setTimeout(120_000);

/** Two gateways, each with a worker, on the same database, Redis, object store and mail server. */
let first: TestGateway;
let second: TestGateway;
let user: TestUser;
let drone: { id: number; ip: string };

beforeAll(async () => {
  const env = { WORKER_IN_PROCESS: "true", ACCESS_PROFILE: "contract", LOGIN_FAILURES_PER_15_MINUTES: "0" };
  first = await startTestGateway(env);
  const { SMTP_URL, S3_ENDPOINT = "", S3_ACCESS_KEY_ID = "", S3_SECRET_ACCESS_KEY = "" } = first.deps.config;
  second = await startTestGateway({
    ...env,
    ...{ DATABASE_URL: first.databaseUrl, REDIS_URL: first.redisUrl },
    ...{ SMTP_URL, S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY },
  });
});
beforeEach(async () => {
  user = await first.newUser();
  drone = (await user.api.post("/drone", { type: "sitl", name: "Twice", vehicle_type: "copter" })).body;
});

/** Asks both gateways the same four times, all at once. */
const atBoth = <T>(ask: (api: ApiClient) => Promise<T>): Promise<T[]> =>
  Promise.all(
    [first, second, first, second, first, second, first, second].map(({ url }) =>
      ask(new ApiClient(`${url}/api/v1`)),
    ),
  );
const onDrone = (api: ApiClient) => droneClient(api, drone.ip);
const asUser = (api: ApiClient) => api.as(user.token);
const statuses = (replies: { status: number }[]) => replies.map(({ status }) => status).sort();
const rows = async (table: string, where: object) => (await first.deps.db(table).where(where)).length;

/** Files with a recurring timer, and why it is safe in two processes at once. */
const REPEATED: Readonly<Record<string, string>> = {
  "src/features/accounts/token-watch.ts": "asks about its own sockets",
  "src/features/actions/abandoned-orders.ts": "tried below",
  "src/features/actions/prune-commands.ts": "asks for a job, of which one waits",
  "src/features/assets/upload-checks.ts": "renews the turn that it holds",
  "src/features/drones/drone-watch.ts": "reads",
  "src/features/flight-recorder/flight-recorder.ts": "its own links",
  "src/features/flight-recorder/record-writer.ts": "parts of its own links, again under the same name",
  "src/features/provisioning/activation.service.ts": "a request's own wait",
  "src/features/telemetry/feeds/drone-feeds.ts": "its own watchers",
  "src/features/telemetry/sockets/client-limits.ts": "its own sockets",
  "src/features/telemetry/sockets/session-recovery.ts": "its own socket's",
  "src/features/telemetry/sockets/telemetry-sockets.ts": "waits while it stops",
  "src/features/video-rooms/video-rooms.service.ts": "a request's own wait",
  "src/http/server/keep-alive.ts": "its own clients",
  "src/http/server/slow-readers.ts": "its own replies",
  "src/onboard/autopilot.ts": "one to a drone",
  "src/onboard/drone-channels.ts": "one to a drone",
  "src/onboard/flight-log.ts": "one to a drone",
  "src/onboard/retry-queue.ts": "one to a drone",
  "src/onboard/stick-pilot.ts": "one to a drone",
  "src/platform/eventually.ts": "a caller's own wait",
  "src/platform/jobs/job-leases.ts":
    "releases a job only while its worker has not renewed it, in one statement",
  "src/platform/jobs/pool.ts": "its own connection",
  "src/platform/jobs/worker.ts": "its own workers; a job is one worker's at a time",
  "src/platform/postgres/session-connection.ts": "its own connection",
  "src/platform/process/lifecycle.ts": "waits while it stops",
  "src/platform/redis/client.ts": "its own connection",
  "src/platform/redis/subscriber.ts": "its own connection",
  "src/platform/retry.ts": "a caller's own wait",
  "src/relay/drone-watch.ts": "reads",
  "src/relay/redis/publisher.ts": "its own connection",
  "src/tunnel/client-configs/keyring.ts": "writes at the hub that has the lease, as lease tests try",
  "src/tunnel/ha/endpoints.ts": "writes at the hub that has the lease, as lease tests try",
  "src/tunnel/jumphost/pipe.ts": "its own pipes",
  "src/tunnel/ha/elector.ts": "its own candidacy, on which the API server decides",
  "src/tunnel/ha/lease-guard.ts": "its own node",
  "src/tunnel/reconcile/reconciler.ts":
    "its own node; only the hub that has the lease serves, as lease tests try",
  "src/tunnel/status/stats-poll.ts": "reads",
  "src/tunnel/ha/takeover.ts": "its own peers",
  "src/tunnel/os/supervised-process.ts": "its own process",
  "src/tunnel/wireguard/userspace.ts": "its own process",
  "src/vehicle/cluster/cluster-links.ts": "reads",
  "src/vehicle/cluster/leases.ts": "renews its own leases, compared with the whole of each",
  "src/vehicle/cluster/subscription.ts": "asks for its own watchers",
  "src/vehicle/mavlink/commands/reposition.ts": "its own link, of which a vehicle has one",
  "src/vehicle/mavlink/wire/exchange.ts": "its own link, of which a vehicle has one",
  "src/vehicle/mavlink/heartbeat.ts": "its own link, of which a vehicle has one",
  "src/vehicle/mavlink/status-text.ts": "its own link, of which a vehicle has one",
  "src/vehicle/mavlink/telemetry/streams.ts": "its own link, of which a vehicle has one",
  "src/vehicle/pool.ts": "its own links, each under its drone's lease",
  "src/vehicle/pooled-link.ts": "its own link, under its drone's lease",
};

test("every file with a recurring timer is listed as safe in several processes", () => {
  const repeating = filesWith(hasRecurringTimer, /^(simvehicle|laptop)\//).map((file) => `src/${file}`);
  expect(repeating).toEqual(Object.keys(REPEATED).sort());
});

test("a flight that is started and completed at both gateways is one execution with one report", async () => {
  const begun = await atBoth((api) => onDrone(api).post("/executions/start", {}));
  expect(statuses(begun)).toEqual(Array(8).fill(200));
  const ids = new Set(begun.map(({ body }) => body.data.id));
  expect(ids.size).toBe(1);
  const [id] = [...ids];
  const ended = await atBoth((api) =>
    onDrone(api).post(`/executions/${id}/complete`, { status: "completed" }),
  );
  expect(ended.filter(({ status }) => status >= 500)).toEqual([]);
  await until(async () => (await user.api.get(`/executions/${id}`)).body.data.report === "sent");
  await until(async () => (await rows("graphile_worker.jobs", {})) === 0);
  expect(first.mail.mails.filter(({ to }) => to.includes(user.username))).toHaveLength(1);
});

test("an upload that is started and completed at both gateways is one asset", async () => {
  const content = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#246" } })
    .png()
    .toBuffer();
  const checksum = createHash("sha256").update(content).digest("hex");
  const input = { file_name: "same.png", asset_type: "image", checksum };
  const begun = await atBoth((api) => onDrone(api).post("/authenticate_upload", input));
  expect(begun.filter(({ status }) => status !== 200)).toEqual([]);
  const ids = new Set(begun.map(({ body }) => body.asset_id));
  expect(ids.size).toBe(1);
  await put(begun[0]?.body.url, content);
  const completions = await atBoth((api) => onDrone(api).post("/complete_upload", { asset_id: [...ids][0] }));
  expect(statuses(completions)).toEqual(Array(8).fill(200));
  await until(async () => (await user.api.get(`/assets/${drone.id}`)).body.data[0].thumbnail_url !== null);
  expect(await rows("assets", { drone_id: drone.id })).toBe(1);
});

test("an archive that is requested and deleted at both gateways is made, and leaves no objects", async () => {
  const { id } = (await onDrone(first.api).post("/executions/start", {})).body.data;
  const input = { file_name: "a.log", asset_type: "logs", execution_id: id };
  const { asset_id } = await upload(onDrone(first.api), input, "a log");
  await onDrone(first.api).post(`/executions/${id}/complete`, { status: "completed" });
  const asked = await atBoth((api) => asUser(api).post(`/executions/${id}/archive`));
  expect(statuses(asked)).toEqual(Array(8).fill(200));
  await until(async () => (await user.api.get(`/executions/${id}/archive`)).body.data.status === "ready");
  const deleted = await atBoth((api) => asUser(api).delete(`/executions/${id}`));
  expect(deleted.filter(({ status }) => ![200, 404].includes(status))).toEqual([]);
  expect(statuses(deleted)).toContain(200);
  expect(await rows("assets", { drone_id: drone.id })).toBe(0);
  const keys = [`assets/${drone.id}/${asset_id}/a.log`, `archives/${id}.zip`];
  const left = async () =>
    (await Promise.all(keys.map((key) => first.deps.store.head(key)))).filter(
      (version) => version !== undefined,
    );
  await until(async () => (await left()).length === 0);
});

test("an event of the payment provider that reaches both gateways is one payment", async () => {
  const subscription = { id: `sub_${user.id}`, customer: `cus_${user.id}`, userId: user.id };
  const created = paymentEvent(
    "customer.subscription.created",
    subscriptionObject(subscription),
    1_795_000_000,
  );
  expect(statuses(await atBoth((api) => api.post("/billing/webhook", created)))).toEqual(Array(8).fill(200));
  const paid = paymentEvent("invoice.paid", invoiceObject(subscription), 1_795_000_001);
  expect(statuses(await atBoth((api) => api.post("/billing/webhook", paid)))).toEqual(Array(8).fill(200));
  expect((await user.api.get("/billing/payments?limit=10")).body.data).toHaveLength(1);
  expect(await rows("subscriptions", { user_id: user.id })).toBe(1);
});

test("a registration link that is used at both gateways makes one user", async () => {
  const email = `both-${user.id}@example.com`;
  const token = first.features.account.tokens.verification(email);
  const replies = await atBoth((api) => api.post(`/register/${token}`, { password: "correct horse" }));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await rows("users", { username: email })).toBe(1);
});

test("an activation token that is used at both gateways works once", async () => {
  const { id, activation_token } = await first.newInactiveUser("CUSTOMER");
  const replies = await atBoth((api) => api.post(`/activate/${id}/${activation_token}`));
  expect(statuses(replies)).toEqual([200, ...Array(7).fill(401)]);
});

test("pending orders of a killed gateway become unknown, and no other orders change", async () => {
  const given = async (command: string, outcome: string, minutesAgo: number) => {
    const requested_at = new Date(Date.now() - minutesAgo * 60_000);
    await first.deps.db("drone_commands").insert({ drone_id: drone.id, command, outcome, requested_at });
  };
  await given("arm", "pending", 11);
  await given("takeoff", "pending", 5);
  await given("land", "accepted", 11);
  const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = first;
  await Promise.all([1, 2].map(() => startTestGateway({ DATABASE_URL, REDIS_URL })));
  const ordered = () => first.deps.db("drone_commands").where({ drone_id: drone.id }).orderBy("id");
  await until(async () => (await ordered())[0].outcome !== "pending");
  expect(await ordered()).toMatchObject([
    {
      outcome: "unknown",
      error: expect.stringContaining("may have done it or not"),
      finished_at: expect.any(Date),
    },
    { outcome: "pending", error: null, finished_at: null },
    { outcome: "accepted", error: null },
  ]);
});

test("a calendar event that is created at both gateways exists once", async () => {
  const mission = (await user.api.post("/mission", { name: "Round" })).body;
  const input = {
    title: "Round",
    drone_id: drone.id,
    mission_id: mission.id,
    scheduled_time: "2030-01-01T08:00:00Z",
  };
  const replies = await atBoth((api) => asUser(api).post("/calendar/events", input));
  expect(statuses(replies)).toEqual([201, ...Array(7).fill(400)]);
});
