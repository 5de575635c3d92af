import { execFile } from "node:child_process";
import { join } from "node:path";
import { compiledPrograms } from "../testing/programs/programs";
import { startTestGateway, type TestGateway } from "../testing/worlds/start-gateway";

let gateway: TestGateway;
let programs: string;
beforeAll(async () => {
  programs = compiledPrograms();
  gateway = await startTestGateway();
});

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The real entrypoint in a process of its own. */
function admin(args: string[], input = ""): Promise<Outcome> {
  const { PATH = "" } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(programs, "cmd/admin.js"), ...args],
      { env: { PATH, DATABASE_URL: gateway.databaseUrl, PUBLIC_ORIGIN: "https://fly.example.com" } },
      (_error, out, err) => resolve({ code: child.exitCode, out, err }),
    );
    child.stdin?.end(input);
  });
}

test("creates a user whose printed link activates them with a level, and who can then log in", async () => {
  const made = await admin(
    ["create-user", "--username", "chief@example.com", "--level", "ADMIN"],
    "a good password\n",
  );
  expect(made).toMatchObject({ code: 0, err: "" });
  expect(made.out).toMatch(/^user \d+ chief@example\.com 10\.70\.0\.\d+\n/);
  const path = /https:\/\/fly\.example\.com(\/activate\/\d+\/\S+)/.exec(made.out)?.[1] as string;
  expect((await gateway.api.post(path)).status).toBe(200);
  const login = await gateway.api.post("/login", {
    username: "chief@example.com",
    password: "a good password",
  });
  expect(login.status).toBe(200);
});

test("refuses a bad email, level or password, and names each", async () => {
  const refused = await admin(["create-user", "--username", "nobody", "--level", "KING"], "short");
  expect(refused.code).toBe(1);
  for (const fault of ["username", "level", "password"]) expect(refused.err).toContain(fault);
});

test("grants vehicles without a payment and revokes them, and changes no paid subscription", async () => {
  const user = await gateway.newUser();
  const grant = (...args: string[]) => admin(["grant-subscription", "--username", user.username, ...args]);
  const reason = async () =>
    (await user.api.get("/billing/can-add-vehicle?vehicle_type=physical")).body.data.reason;
  expect(await grant("--vehicles", "2")).toMatchObject({ code: 0, err: "" });
  expect(await reason()).toBe("allowed");
  expect(await grant("--revoke")).toMatchObject({ code: 0 });
  expect(await reason()).toBe("subscription_inactive");
  await gateway.deps
    .db("subscriptions")
    .where({ user_id: user.id })
    .update({ status: "active", provider_id: "sub_1" });
  for (const args of [["--vehicles", "9"], ["--revoke"], ["--vehicles", "0"], ["--vehicles", "two"], []])
    expect(await grant(...args)).toMatchObject({ code: 1, err: expect.stringMatching(/./) });
  expect(await gateway.deps.db("subscriptions").where({ user_id: user.id }).first()).toMatchObject({
    ...{ status: "active", vehicle_count: 2, provider_id: "sub_1" },
  });
});

test("prints fresh secrets that are valid in a configuration", async () => {
  const [one, two] = await Promise.all([admin(["keys"]), admin(["keys"])]);
  expect(one?.out).toMatch(/^JWT_SECRET=[\w-]{40}$/m);
  expect(one?.out).toMatch(/^USERS_PRIVATE_KEY=\S{43}=$/m);
  expect(one?.out).not.toBe(two?.out);
});

test("prints its commands, and fails for an unknown one", async () => {
  expect((await admin([])).out).toContain("create-user");
  expect(await admin(["fly"])).toMatchObject({ code: 1, err: expect.stringContaining('no command "fly"') });
});

test("reports a taken email without an error of the database", async () => {
  const { username } = await gateway.newUser();
  const refused = await admin(["create-user", "--username", username], "a good password\n");
  expect(refused).toMatchObject({ code: 1, err: "A user with this email exists already.\n" });
});
