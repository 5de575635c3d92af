import type { Route } from "../../http/route";
import { type BadCredentials, badCredentials, validTokens } from "../../testing/access/bad-credentials";
import { databaseDigest } from "../../testing/access/database-digest";
import { expectedStatuses, idsOf, kindOf, requestWithIds } from "../../testing/access/id-requests";
import { missingCases } from "../../testing/access/missing-cases";
import {
  CONFIDENTIAL,
  createUserObjects,
  droneApi,
  TEST_EDGE_SECRET,
  type UserObjects,
} from "../../testing/access/user-objects";
import { ApiClient, type Reply } from "../../testing/client";
import { type Operation, operationsOf } from "../../testing/spec-requests";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/worlds/start-gateway";

// A busy machine takes several times as long.
jest.setTimeout(120_000);

/** The kinds of bad tokens with which every route is asked. */
const everywhere = new Set([
  "no token",
  "an expired token",
  "a logged-out token",
  "algorithm none",
  "another key",
]);

/** The routes that take a token of their own in place of a user's. */
const TOKEN_CASES = [
  "POST /register/:token",
  "POST /activate/:user_id/:token",
  "GET /drone/activate",
  "POST /billing/webhook",
  "POST /report-emails/confirm/:token",
];

/** Where one's own things are listed. */
const LISTS = [
  "GET /drones",
  "GET /drones_status",
  "GET /missions",
  "GET /geofences",
  "GET /calendar/events",
  "GET /executions",
];

const activation = (token: string) => ({ "x-activation-token": token });

const said = ({ status, body }: Reply) => `${status} ${JSON.stringify(body).replaceAll(/\d+/g, "#")}`;

describe.each(["contract", "strict"] as const)("in the %s profile", (profile) => {
  let gateway: TestGateway;
  let own: UserObjects;
  let others: UserObjects;
  let bad: BadCredentials;
  let walked: { operation: Operation; route: Route }[];

  beforeAll(async () => {
    gateway = await startTestGateway({
      ACCESS_PROFILE: profile,
      EDGE_SECRET: TEST_EDGE_SECRET,
      LINK_CONNECT_TIMEOUT_MS: "50",
      LOGIN_FAILURES_PER_15_MINUTES: "0",
      NETWORK_LOGIN_FAILURES_PER_15_MINUTES: "0",
      ...{ QUOTA_REQUESTED_MAILS: "0", QUOTA_NETWORK_MAILS: "0", QUOTA_REGISTRATIONS: "0" },
    });
    own = await createUserObjects(gateway);
    others = await createUserObjects(gateway);
    bad = await badCredentials(gateway, own.user, own.roomToken);
    const operations = operationsOf((await gateway.api.get("/apispec.json")).body);
    walked = gateway.features.routes.map((route) => {
      const name = `${route.method.toUpperCase()} ${route.path}`;
      const operation = operations.find((one) => one.name === name);
      if (!operation) throw new Error(`${name} is not described.`);
      return { operation, route };
    });
  });

  const guardedBy = (...guards: Route["guard"][]) =>
    walked.filter(({ route }) => guards.includes(route.guard));

  /** Requests the caller's own objects on each route, identified only by these headers. */
  const askAll = (
    routes: typeof walked,
    headers: Readonly<Record<string, string>>,
    base = gateway.api.base,
  ) =>
    Promise.all(
      routes.map(async ({ operation }) => {
        const { path, body } = requestWithIds(operation, () => own);
        const reply = await new ApiClient(base).with(headers).send(operation.method, path, body);
        return { name: operation.name, reply };
      }),
    );

  /** Every one of them answers so and with an error in its envelope, and the database is what it was. */
  const expectRefused = async (
    status: number | readonly number[],
    routes: typeof walked,
    headers: Readonly<Record<string, string>>,
    base?: string,
  ) => {
    const before = await databaseDigest(gateway.deps.db);
    const replies = await askAll(routes, headers, base);
    const wrong = replies.filter(({ name, reply }) => {
      const route = routes.find(({ operation }) => operation.name === name)?.route;
      const isBare = route?.envelope === "B" || (route?.envelope === "raw" && !route.errorBodies);
      const message = isBare ? reply.body.error : reply.body.error?.message;
      return ![status].flat().includes(reply.status) || typeof message !== "string";
    });
    expect(wrong.map(({ name, reply }) => `${name} ${said(reply)}`)).toEqual([]);
    expect(await databaseDigest(gateway.deps.db)).toEqual(before);
  };

  test("a route with the guard `user` answers 401 to every bad token, and the database does not change", async () => {
    // Whose name a reset token bears is for its route to know.
    const routes = guardedBy("user");
    expect(routes.length).toBeGreaterThan(70);
    const rest = Object.keys(bad).filter((kind) => !everywhere.has(kind));
    for (const [kind, headers] of Object.entries(bad)) {
      // The rest share the routes among them.
      const share = routes.filter((_, at) => at % rest.length === rest.indexOf(kind));
      const asked = everywhere.has(kind) ? routes : share;
      await expectRefused(401, asked, headers).catch((error) => {
        throw new Error(`${kind}: ${error.message}`);
      });
    }
  });

  test("a bad token neither refreshes a token nor sets a password", async () => {
    for (const [kind, headers] of Object.entries(bad)) {
      await expectRefused(401, guardedBy("refresh"), headers);
      // That route identifies users by name, and no user has this one.
      const isName = ["user 0", "a user beyond every row"].includes(kind);
      await expectRefused(isName ? 500 : 401, guardedBy("reset"), headers);
    }
  });

  test("a valid token of another kind does not open a route either", async () => {
    const { access, refresh, reset, reset_of_nobody } = validTokens(gateway, own.user);
    await expectRefused(401, guardedBy("user", "reset"), refresh);
    await expectRefused(401, guardedBy("user", "refresh"), reset);
    await expectRefused(401, guardedBy("refresh"), access);
    await expectRefused(500, guardedBy("reset"), access);
    await expectRefused(500, guardedBy("reset"), reset_of_nobody);
  });

  test("only the drone's own video room token opens its video room", async () => {
    const routes = guardedBy("video_room");
    const { "a video room token": good, ...rest } = bad;
    for (const [kind, headers] of Object.entries({ ...rest, ...validTokens(gateway, own.user) }))
      await expectRefused("authorization" in headers ? 400 : 402, routes, headers).catch((error) => {
        throw new Error(`${kind}: ${error.message}`);
      });
    expect(good).toBeDefined();
  });

  test("a route with a token of its own refuses tokens of other kinds", async () => {
    const { access, reset } = validTokens(gateway, own.user);
    const [jwt = ""] = Object.values(access).map((header) => header.replace("Bearer ", ""));
    const inactive = await gateway.newInactiveUser("CUSTOMER");
    const active = own.user.id;
    const password = { password: "another password" };
    const attempts: Readonly<Record<string, () => Promise<{ status: number; replies: Reply[] }>>> = {
      "POST /register/:token": async () => ({
        status: 401,
        replies: await Promise.all([
          gateway.api.post(`/register/${jwt}`, password),
          gateway.api.post(`/register/${Object.values(reset)[0]?.replace("Bearer ", "")}`, password),
          gateway.api.post(`/register/${own.roomToken}`, password),
          gateway.api.as(jwt).post("/register/none", password),
        ]),
      }),
      "POST /activate/:user_id/:token": async () => ({
        status: 401,
        replies: await Promise.all([
          gateway.api.post(`/activate/${inactive.id}/${jwt}`),
          gateway.api.post(`/activate/${inactive.id}/null`),
          gateway.api.post(`/activate/${active}/null`),
          gateway.api.post(`/activate/${active}/${inactive.activation_token}`),
        ]),
      }),
      "GET /drone/activate": async () => ({
        status: 406,
        replies: await Promise.all(
          ([{}, access, ...["0000000000", "null"].map(activation)] as Record<string, string>[]).map(
            (headers) => gateway.api.with(headers).get("/drone/activate"),
          ),
        ),
      }),
      "POST /billing/webhook": async () => ({
        status: 400,
        replies: [await gateway.api.post("/billing/webhook")],
      }),
      "POST /report-emails/confirm/:token": async () => ({
        status: 401,
        replies: await Promise.all(
          [jwt, own.roomToken, inactive.activation_token, "null"].map((token) =>
            gateway.api.as(jwt).post(`/report-emails/confirm/${token}`),
          ),
        ),
      }),
    };
    const before = await databaseDigest(gateway.deps.db);
    expect(Object.keys(attempts)).toEqual(TOKEN_CASES);
    for (const [name, attempt] of Object.entries(attempts)) {
      const { status, replies } = await attempt();
      expect({ name, statuses: replies.map((reply) => reply.status) }).toEqual({
        name,
        statuses: replies.map(() => status),
      });
    }
    expect(await databaseDigest(gateway.deps.db)).toEqual(before);
  });

  const claims = (ip: string) =>
    ["x-drone-ip", "x-real-ip", "x-forwarded-for"].map((header) => ({ [header]: ip }));

  if (profile === "strict") {
    test("a header does not make a caller a drone: 404 on the main port, 401 on the drone-only port", async () => {
      const routes = guardedBy("drone");
      for (const claim of claims(own.ip)) {
        // Where a user's route has the same shape, it is that one's refusal.
        await expectRefused([404, 405, 401], routes, claim);
        await expectRefused([404, 405, 401], routes, { ...claim, "x-edge-secret": TEST_EDGE_SECRET });
        for (const secret of ["", "wrong", `${TEST_EDGE_SECRET} `.repeat(2)])
          await expectRefused(
            401,
            routes,
            { ...claim, "x-edge-secret": secret },
            `${gateway.droneUrl}/api/v1`,
          );
      }
      const outside = { "x-drone-ip": "192.0.2.1", "x-edge-secret": TEST_EDGE_SECRET };
      await expectRefused(401, routes, outside, `${gateway.droneUrl}/api/v1`);
    });

    test("the drone-only port answers 404 on every route of users, also with a valid token", async () => {
      const { access } = validTokens(gateway, own.user);
      const routes = guardedBy("user", "refresh", "reset", "public", "token", "video_room");
      const replies = await askAll(routes, access, `${gateway.droneUrl}/api/v1`);
      expect(replies.filter(({ reply }) => reply.status !== 404)).toEqual([]);
    });
  } else {
    test("a caller is the drone whose address it sends, in each of the three headers", async () => {
      for (const claim of claims(own.ip))
        expect((await gateway.api.with(claim).get("/executions/current")).body.data).toMatchObject({
          drone_id: own.drone,
        });
    });

    test("a caller without the address of a drone gets 401 on drone routes", async () => {
      const routes = guardedBy("drone");
      for (const claim of [...claims(own.user.ip), ...claims("192.0.2.1"), ...claims("10.71."), {}])
        await expectRefused(401, routes, claim);
      const access = validTokens(gateway, own.user).access;
      await expectRefused(401, routes, access);
      await expectRefused(404, routes, { "x-drone-ip": "10.71.0.77" });
    });
  }

  test("this test knows every route, and the meaning of every id and text key of a request", () => {
    expect(missingCases(walked, TOKEN_CASES)).toEqual([]);
    expect(TOKEN_CASES.toSorted()).toEqual(
      guardedBy("token")
        .map(({ operation }) => operation.name)
        .sort(),
    );
  });

  /** As the user, drone or room that owns `own`. */
  const callerOf = ({ guard }: Route): ApiClient => {
    if (guard === "drone") return droneApi(gateway, own.ip);
    return guard === "video_room" ? gateway.api.as(own.roomToken) : own.user.api;
  };

  /** Each route and id, and one with every id of it. */
  const cases = () =>
    guardedBy("user", "drone", "video_room").flatMap(({ operation, route }) => {
      const ids = idsOf(operation).filter((id) => kindOf(operation, id) !== "nothing of anybody's");
      return ids.map((id) => ({ operation, route, id, name: `${operation.name} ${id}` }));
    });

  test("another user's id is refused at every place of every request; the reply reveals nothing, and the database does not change", async () => {
    expect(cases().length).toBeGreaterThan(70);
    let before = await databaseDigest(gateway.deps.db);
    const wrong: string[] = [];
    for (const { operation, route, id, name } of cases()) {
      const { path, body } = requestWithIds(operation, (asked) => (asked === id ? others : own));
      const reply = await callerOf(route).send(operation.method, path, body);
      const leaks = JSON.stringify(reply.body).includes(CONFIDENTIAL);
      if (reply.status !== (expectedStatuses[name] ?? 404) || leaks) wrong.push(`${name}: ${said(reply)}`);
      const { "public.drone_commands": commands, ...after } = await databaseDigest(gateway.deps.db);
      // An order to one's own drone is on record, even one that goes nowhere.
      const isOrder = operation.path.startsWith("/drone/action/") && id !== "drone_id";
      const { "public.drone_commands": known, ...unchanged } = before;
      if (JSON.stringify(after) !== JSON.stringify(unchanged)) wrong.push(`${name} changed something.`);
      if (!isOrder && commands !== known) wrong.push(`${name} is on record as an order.`);
      before = { ...unchanged, "public.drone_commands": commands ?? "" };
      const good = requestWithIds(operation, () => own);
      const allowed = await callerOf(route).send(operation.method, good.path, good.body);
      if (said(allowed) === said(reply)) wrong.push(`${name}: one's own is refused in the same words.`);
      // The points of a plan are replaced by `POST …/points`.
      if (/^DELETE|delete$|complete$|^POST .*points$/.test(operation.name))
        own = await createUserObjects(gateway);
      before = await databaseDigest(gateway.deps.db);
    }
    expect(wrong).toEqual([]);
    expect(Object.keys(expectedStatuses).filter((name) => !cases().some((one) => one.name === name))).toEqual(
      [],
    );
  });

  test("a listing holds only the caller's own rows: another user's rows do not change it", async () => {
    const lists = guardedBy("user").filter(
      ({ operation, route }) => route.method === "get" && !operation.path.includes("_id"),
    );
    const listingsFor = async ({ api }: TestUser) => {
      const listings: Record<string, string> = {};
      // One after the other: a user may have a limited number of requests under way.
      for (const { operation } of lists) {
        const { status, body } = await api.get(requestWithIds(operation, () => ({}) as UserObjects).path);
        // A presigned URL is another each second.
        listings[operation.name] = JSON.stringify({ status, body }).replaceAll(/X-Amz-[^"]*/g, "");
      }
      return listings;
    };
    const newcomer = await gateway.newUser();
    const before = await listingsFor(newcomer);
    const { user: another } = await createUserObjects(gateway);
    expect(await listingsFor(newcomer)).toEqual(before);
    // The owner gets it.
    const theirs = await listingsFor(another);
    for (const name of LISTS) expect([name, theirs[name]]).not.toEqual([name, before[name]]);
  });
});
