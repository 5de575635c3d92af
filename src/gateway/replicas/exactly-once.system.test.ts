import { createHash } from "node:crypto";
import sharp from "sharp";
import { ApiClient } from "../../testing/client";
import { invoiceObject, paymentEvent, subscriptionObject } from "../../testing/fakes/payment-events";
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
