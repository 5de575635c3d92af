import { freePort } from "../../laptop/free-port";
import { ApiClient } from "../../testing/client";
import {
  type GatewayProcess,
  probeDuring,
  startGatewayProcess,
} from "../../testing/programs/gateway-process";
import { createInBatches } from "../../testing/raw-http";
import { startTestGateway, type TestUser } from "../../testing/worlds/start-gateway";

/** A busy machine takes several times as long. */
const SLOWEST_ANSWER_MS = 10_000;
const FLOOD = 400;

let gateway: GatewayProcess;
let user: TestUser;
/** The user's drone, at a port of `localhost` without a listener. */
let drone: number;

beforeAll(async () => {
  const beside = await startTestGateway();
  user = await beside.newUser();
  const body = { type: "sitl", name: "gone", vehicle_type: "copter", link_host: "localhost" };
  drone = (await user.api.post("/drone", { ...body, port: await freePort() })).body.id;
  gateway = await startGatewayProcess(beside, {
    TRUSTED_PROXIES: "loopback",
    LINK_CONNECT_TIMEOUT_MS: "5000",
  });
});

/** The reply to an order whose drone's name is looked up in the threads that also hash passwords. */
const dial = async () => {
  const order = { drone_id: drone };
  const { body } = await gateway.api.as(user.token).post("/drone/action/guided", order);
  return body.error;
};

const from = ({ url }: { readonly url: string }, address: string) =>
  new ApiClient(`${url}/api/v1`).with({ "x-forwarded-for": address });

/** Wrong logins, two hundred at once, each with a name of its own; how many had each status. */
async function flood(addressOf: (n: number) => string): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  await createInBatches(FLOOD, async (n) => {
    const body = { username: `nobody-${n}@example.com`, password: "a guess" };
    const { status } = await from(gateway, addressOf(n)).post("/login", body);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  });
  return counts;
}

async function timed<T>(work: Promise<T>): Promise<{ value: T; ms: number }> {
  const began = performance.now();
  return { value: await work, ms: performance.now() - began };
}

test(`${FLOOD} wrong logins from one address, each for another account, do not delay other clients`, async () => {
  const { username, password } = user;
  const { result, failed, slowestMs } = await probeDuring(gateway.api.as(user.token), "/user", async () => {
    const flooding = flood(() => "192.0.2.66");
    const login = await timed(from(gateway, "198.51.100.7").post("/login", { username, password }));
    return { login, dialled: await dial(), counts: await flooding };
  });
  expect(result.login.value.status).toBe(200);
  expect(result.login.ms).toBeLessThan(SLOWEST_ANSWER_MS);
  expect(result.dialled).toContain("Nothing answers at localhost");
  expect(failed).toBe(0);
  expect(slowestMs).toBeLessThan(SLOWEST_ANSWER_MS);
  expect([...result.counts.keys()].sort()).toEqual([401, 429]);
  expect(result.counts.get(401)).toBeLessThanOrEqual(100);
});

test(`${FLOOD} wrong logins from as many addresses get 401 or 429, and host names are resolved meanwhile`, async () => {
  const flooding = flood((n) => `10.0.${n >> 8}.${n & 255}`);
  expect(await dial()).toContain("Nothing answers at localhost");
  const counts = await flooding;
  expect(counts.get(429)).toBeGreaterThan(FLOOD / 4);
  expect([...counts.keys()].sort()).toEqual([401, 429]);
});

test("wrong logins from 200 networks of one /48, all on one account, do not keep its owner out", async () => {
  const { username, password } = user;
  const login = (address: string) => from(gateway, address).post("/login", { username, password });
  expect((await login("203.0.113.5")).status).toBe(200);
  const attack = createInBatches(400, async (n) => {
    const body = { username, password: "a guess" };
    const { status } = await from(gateway, `2001:db8:5:${(n % 200).toString(16)}::1`).post("/login", body);
    return status;
  });
  const owner: number[] = [];
  for (let n = 0; n < 10; n++) {
    owner.push((await login("203.0.113.5")).status);
    owner.push((await login("198.51.100.9")).status);
  }
  const statuses = await attack;
  expect(owner).toEqual(owner.map(() => 200));
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
});

test("wrong logins that use up the limits of a network and of its /48 do not keep out users that logged in from there before", async () => {
  const guarded = await startTestGateway({
    TRUSTED_PROXIES: "loopback",
    NETWORK_LOGIN_FAILURES_PER_15_MINUTES: "3",
  });
  const [known, other] = [await guarded.newUser(), await guarded.newUser()];
  const login = (name: string, word: string, address: string) =>
    from(guarded, address)
      .post("/login", { username: name, password: word })
      .then(({ status }) => status);
  const home = "2001:db8:7:1::1";
  expect(await login(known.username, known.password, home)).toBe(200);
  const guesses: number[] = [];
  for (let n = 0; n < 16; n++)
    guesses.push(
      await login(`nobody-${n}@example.com`, "a guess", `2001:db8:7:${(n >> 1).toString(16)}::${n}`),
    );
  // Of two from each network all are counted for the /48, which may fail twelve times.
  expect(guesses).toEqual([...Array(12).fill(401), ...Array(4).fill(429)]);
  expect(await login(other.username, other.password, home)).toBe(429);
  expect(await login(other.username, other.password, "2001:db8:8:1::1")).toBe(200);
  for (let n = 0; n < 4; n++) await login(`nobody-${n}@example.com`, "a guess", "2001:db8:9:1::1");
  expect(await login(known.username, known.password, home)).toBe(200);
  // Its own count on this account holds.
  for (let n = 0; n < 10; n++) expect(await login(known.username, "a guess", home)).toBe(401);
  expect(await login(known.username, known.password, home)).toBe(429);
});

test("wrong logins of an address are counted over all accounts, and successful logins are not counted", async () => {
  const strict = await startTestGateway({
    TRUSTED_PROXIES: "loopback",
    NETWORK_LOGIN_FAILURES_PER_15_MINUTES: "3",
  });
  const { username, password } = await strict.newUser();
  const other = await strict.newUser();
  const login = (name: string, word: string, address = "192.0.2.66") =>
    from(strict, address).post("/login", { username: name, password: word });
  for (let round = 0; round < 5; round++) expect((await login(username, password)).status).toBe(200);
  for (let n = 0; n < 3; n++) expect((await login(`nobody-${n}@example.com`, "a guess")).status).toBe(401);
  expect(await login(other.username, other.password)).toMatchObject({
    status: 429,
    body: { error: expect.stringContaining("Too many tries") },
  });
  expect((await login(other.username, other.password, "198.51.100.7")).status).toBe(200);
});
