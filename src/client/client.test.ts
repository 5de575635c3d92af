import { startTestGateway, type TestGateway } from "../testing/worlds/start-gateway";
import { ApiError, errorOf } from "./api-error";
import { FleetClient, reply, type Tokens } from "./client";
import { upload } from "./upload";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({});
});

async function loggedIn() {
  const { username, password } = await gateway.newUser();
  const client = new FleetClient(gateway.url);
  await client.logIn(username, password);
  return client;
}

const refreshes = async (): Promise<number> => {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const counts = text.matchAll(/^fleet_http_requests_total\{.*route="\/auth\/refresh".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
};

test("a mission is stored and read back", async () => {
  const { api } = await loggedIn();
  expect(await reply(api.GET("/missions"))).toEqual([]);
  const { id } = await reply(api.POST("/mission", { body: { name: "Round" } }));
  const place = { lat: 47.4, lng: 8.5, altitude: 30 };
  const point = { mission_id: id, ...place, sequence: 0, type: "fly", command: 16 } as const;
  await reply(api.POST("/mission/point", { body: [point] }));
  const path = { mission_id: id };
  const mission = await reply(api.GET("/mission/{mission_id}", { params: { path } }));
  expect(mission).toMatchObject({ id, name: "Round", mission_points: [point] });
});

test("requests with an expired access token are sent again after one refresh for all of them", async () => {
  const { id } = await gateway.newUser();
  const kept: (Tokens | undefined)[] = [];
  const client = new FleetClient(gateway.url, { onTokens: (tokens) => kept.push(tokens) });
  const pair = gateway.features.account.tokens.pair(id);
  client.useTokens({ ...pair, access_token: `${pair.access_token}x` });
  const before = await refreshes();
  const names = ["One", "Two", "Three", "Four"];
  const made = await Promise.all(names.map((name) => reply(client.api.POST("/mission", { body: { name } }))));
  expect(made.map(({ name }) => name)).toEqual(names);
  expect(await refreshes()).toBe(before + 1);
  expect(kept).toHaveLength(2);
  expect(await reply(client.api.GET("/missions"))).toHaveLength(4);
  expect(await refreshes()).toBe(before + 1);
});

describe("an upload as a drone", () => {
  const file = { file_name: "flight.bin", asset_type: "logs" } as const;
  const content = (text: string) => new Blob([text.repeat(100_000)]);
  async function drone() {
    const { api } = await loggedIn();
    const body = { type: "sitl", name: "Eye", vehicle_type: "copter" } as const;
    const { ip } = await reply(api.POST("/drone", { body }));
    return new FleetClient(gateway.url, { headers: { "X-Drone-IP": `${ip}` } });
  }

  test("tells its progress, and the same content is refused afterwards", async () => {
    const client = await drone();
    const told: number[] = [];
    const onProgress = (sent: number, of: number) => void told.push(sent / of);
    expect(await upload(client, content("log"), file, { onProgress })).toBeGreaterThan(0);
    expect(told.length).toBeGreaterThan(1);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect(told.at(-1)).toBe(1);
    await expect(upload(client, content("log"), file)).rejects.toMatchObject({
      name: "ApiError",
      status: 409,
    });
  });

  test("can be aborted, and is not completed then", async () => {
    const client = await drone();
    const abort = new AbortController();
    const options = { onProgress: () => abort.abort(), signal: abort.signal };
    await expect(upload(client, content("other"), file, options)).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(await upload(client, content("other"), file)).toBeGreaterThan(0);
  });
});

describe("a session of which the refresh token was kept", () => {
  test("is resumed, and its requests are answered", async () => {
    const { id } = await gateway.newUser();
    const client = new FleetClient(gateway.url);
    expect(await client.resume(gateway.features.account.tokens.pair(id).refresh_token)).toBe(true);
    expect((await reply(client.api.GET("/user"))).id).toBe(id);
  });

  test("is not resumed when the token is refused", async () => {
    const kept: (Tokens | undefined)[] = [];
    const client = new FleetClient(gateway.url, { onTokens: (tokens) => kept.push(tokens) });
    expect(await client.resume("revoked")).toBe(false);
    expect(kept).toEqual([undefined]);
  });
});

describe("a log-out", () => {
  test("revokes the access token, and the client forgets the pair", async () => {
    const kept: Tokens[] = [];
    const { username, password } = await gateway.newUser();
    const client = new FleetClient(gateway.url, { onTokens: (tokens) => tokens && kept.push(tokens) });
    await client.logIn(username, password);
    await client.logOut();
    await expect(reply(client.api.GET("/missions"))).rejects.toMatchObject({ status: 401 });
    const headers = { Authorization: `Bearer ${kept[0]?.access_token}` };
    await expect(reply(client.api.GET("/missions", { headers }))).rejects.toMatchObject({ status: 401 });
    expect(kept).toHaveLength(1);
  });

  test("is not undone by a refresh that was under way", async () => {
    const { id } = await gateway.newUser();
    const kept: (Tokens | undefined)[] = [];
    const client = new FleetClient(gateway.url, { onTokens: (tokens) => kept.push(tokens) });
    const resumed = client.resume(gateway.features.account.tokens.pair(id).refresh_token);
    client.useTokens(undefined);
    expect(await resumed).toBe(false);
    expect(kept).toEqual([undefined]);
  });
});

test("a refused refresh token ends the session with the 401 of the request", async () => {
  const kept: (Tokens | undefined)[] = [];
  const client = new FleetClient(gateway.url, { onTokens: (tokens) => kept.push(tokens) });
  const expired = { access_token: "expired", refresh_token: "revoked" };
  client.useTokens(expired);
  await expect(reply(client.api.GET("/missions"))).rejects.toMatchObject({ name: "ApiError", status: 401 });
  expect(kept).toEqual([expired, undefined]);
});

test("errors of both envelopes, and those with the status of a success, are an ApiError", async () => {
  const { api } = await loggedIn();
  const failure = (sent: Parameters<typeof reply>[0]) =>
    reply(sent).then(
      () => undefined,
      (error: ApiError) => [error instanceof ApiError, error.status, error.code, error.message],
    );
  const path = { mission_id: 2_000_000_000 };
  expect(await failure(api.GET("/mission/{mission_id}", { params: { path } }))).toEqual([
    ...[true, 404, 404, expect.stringMatching(/mission/i)],
  ]);
  const execution = { params: { path: { execution_id: 2_000_000_000 } } };
  expect(await failure(api.GET("/executions/{execution_id}", execution))).toEqual([
    ...[true, 404, 404, expect.any(String)],
  ]);
  const wrong = { username: "nobody@example.com", password: "wrong" };
  expect(await failure(api.POST("/login", { body: wrong }))).toEqual([true, 401, 401, expect.any(String)]);
  await gateway.deps.db.raw("ALTER TABLE missions RENAME TO missions_away");
  const unread = await failure(api.GET("/missions"));
  await gateway.deps.db.raw("ALTER TABLE missions_away RENAME TO missions");
  expect(unread).toEqual([true, 200, 200, expect.any(String)]);
});

test("a reply that is not the gateway's, and its own unexpected failure, leave an order's outcome open", async () => {
  const page = (status: number) => errorOf(new Response("", { status }), "<h1>Bad Gateway</h1>");
  expect(page(502)).toMatchObject({ status: 502, message: "HTTP 502", outcomeUnknown: true });
  const refused = errorOf(new Response("", { status: 500 }), { error: "Refused" });
  expect(refused).toMatchObject({ message: "Refused", outcomeUnknown: false });
  const { api } = await loggedIn();
  await gateway.deps.db.raw("ALTER TABLE missions RENAME TO missions_away");
  const failed = reply(api.POST("/mission", { body: { name: "Any" } }));
  await expect(failed).rejects.toMatchObject({ status: 500, outcomeUnknown: true });
  await gateway.deps.db.raw("ALTER TABLE missions_away RENAME TO missions");
});

test("an aborted request rejects with an AbortError", async () => {
  const { api } = await loggedIn();
  const abort = new AbortController();
  const sent = reply(api.GET("/missions", { signal: abort.signal }));
  abort.abort();
  await expect(sent).rejects.toMatchObject({ name: "AbortError" });
});
