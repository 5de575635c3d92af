import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { FleetClient, reply } from "../client/client";
import { packageRoot } from "../platform/process/version";
import { atEndOfFile, freshFolder } from "../testing";
import { compiledPrograms } from "../testing/programs/programs";
import { freePort } from "./free-port";
import { type Ready, readReady, readyFile } from "./ready";
import { isMarked } from "./servers/leftover";

let programs: string;
const folder = freshFolder("stack");
let environment: NodeJS.ProcessEnv;

interface Running {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

beforeAll(async () => {
  programs = compiledPrograms();
  const { PATH, HOME } = process.env;
  environment = {
    PATH,
    HOME,
    GATEWAY_PORT: String(await freePort()),
    RELAY_PORT: String(await freePort()),
    TUNNEL_PORT: String(await freePort()),
    JUMPHOST_PORT: String(await freePort()),
    SIMULATOR_PORT: String(await freePort()),
    SIMULATOR_COPTERS: "1",
    SIMULATOR_ONBOARD_PORT: String(await freePort()),
    SIMULATOR_SPEEDUP: "20",
  };
});

function run(program: string, ...args: string[]): Running {
  const child = spawn(
    process.execPath,
    // From its own folder, as `npm start` names it.
    [join("cmd", `${program}.js`), "--state", folder, ...args],
    {
      cwd: programs,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  atEndOfFile(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  return { process: child, output: () => output, ended };
}

/** Start the stack and wait for its ready.json; a killed one has left its own. */
async function startStack(...args: string[]): Promise<Running & { ready: Ready }> {
  const startedAt = Date.now();
  const stack = run("fleet", ...args);
  let end: number | null | undefined;
  void stack.ended.then((code) => {
    end = code;
  });
  while (!existsSync(readyFile(folder)) || statSync(readyFile(folder)).mtimeMs < startedAt) {
    if (end !== undefined) throw new Error(`The stack ended with ${end}:\n${stack.output()}`);
    await delay(20);
  }
  return { ...stack, ready: readReady(folder) };
}

/** What the stack recorded of the processes that run for it, with what each is known by. */
function recordedProcesses(): { pid: number; mark: string }[] {
  const postgres = join(folder, "postgres", "data");
  const redis = join(folder, "redis");
  const files = [
    { file: join(postgres, "postmaster.pid"), mark: postgres },
    { file: join(redis, "redis.pid"), mark: redis },
    ...readdirSync(join(folder, "run")).map((name) => ({
      file: join(folder, "run", name),
      mark: join(programs, "cmd", name.replace(".pid", ".js")),
    })),
  ];
  const camera = { file: join(folder, "camera", "camera.pid"), mark: join(folder, "camera") };
  if (existsSync(camera.file)) files.push(camera);
  return files.map(({ file, mark }) => ({ pid: Number.parseInt(readFileSync(file, "utf8"), 10), mark }));
}

const isAlive = ({ pid, mark }: { pid: number; mark: string }) => isMarked(pid, mark);

async function apiOf({ gateway, user }: Ready): Promise<FleetClient["api"]> {
  const client = new FleetClient(gateway as string);
  const { username, password } = user as { username: string; password: string };
  await client.logIn(username, password);
  return client.api;
}

describe("a cold start", () => {
  let stack: Awaited<ReturnType<typeof startStack>>;
  beforeAll(async () => {
    stack = await startStack();
  });

  test("is ready for a user with a drone", async () => {
    const { ready, output } = stack;
    expect(await (await fetch(`${ready.tunnel}/version`)).json()).toEqual({ version: expect.any(String) });
    expect((await fetch(`${ready.jumphost?.replace("ws", "http")}/`)).status).toBeGreaterThanOrEqual(400);
    expect(statSync(readyFile(folder)).mode & 0o777).toBe(0o600);
    const drones = await reply((await apiOf(ready)).GET("/drones"));
    expect(drones).toEqual([expect.objectContaining({ id: ready.drone_id, type: "sitl" })]);
    expect(output()).toContain(ready.gateway);
    // Before every other address.
    expect(output()).toMatch(/Fleet Gateway is ready\.\n\n {2}console {3}http:\/\/127\.0\.0\.1:\d+\/\n/);
    // Postgres, Redis, the simulator, the gateway, the relay, the tunnel service and the agent on board.
    expect(recordedProcesses().map(isAlive)).toEqual([true, true, true, true, true, true, true]);
  });

  test("shows the link of a mail on the terminal", async () => {
    const api = await apiOf(stack.ready);
    const email = String(stack.ready.user?.username);
    await reply(api.POST("/reset-password", { body: { email } }));
    while (!stack.output().includes("/reset-password?token=")) await delay(20);
    expect(stack.output()).toMatch(/Mail to pilot@example\.com: .+\n\s+http:\S+\/reset-password\?token=/);
  });

  test("shows the copter's camera", async () => {
    const api = await apiOf(stack.ready);
    const params = { path: { drone_id: stack.ready.drone_id as number } };
    expect((await reply(api.GET("/video_room/{drone_id}/start", { params }))).listeners).toBe(1);
    const watch = () => api.POST("/video_room/{drone_id}/viewers", { params });
    while ((await watch()).response.status !== 201) await delay(100);
    // It goes on until the stack is killed below.
    expect(recordedProcesses()).toHaveLength(8);
  });

  test("flies the demonstration", async () => {
    const demo = run("demo");
    const code = await demo.ended;
    // The output first: when this fails it says why.
    expect(demo.output()).toContain("Landed and disarmed");
    expect(code).toBe(0);
    expect(demo.output().match(/Corner \d reached/g)).toHaveLength(4);
    expect(demo.output()).toMatch(
      /frames obeyed.+\n(.*\n)*.*dead-man timer stopped the copter(.*\n)*Execution \d+: /,
    );
    const report = /Mail to pilot@example\.com: .+ – completed\n/;
    while (!report.test(stack.output())) await delay(20);
  }, 90_000);

  test("flies the script of docs/client.md", async () => {
    const env = { ...environment, FLEET_READY: readyFile(folder) };
    const { stdout } = await promisify(execFile)(
      "bash",
      [join(packageRoot, ".ci/doc-script"), "docs/client.md"],
      { env },
    );
    expect(stdout).toMatch(
      /Stored 2 points\nOn board: 3 items.*\nThe same as the stored one: true\nFlown over both points\n/,
    );
    expect(stdout).toMatch(/Uploaded a picture to execution \d+\nFlew 1\d\d m in \d+ s\n$/);
  }, 90_000);

  test("that is killed with -9 loses no committed row, and the next start clears the leftovers away", async () => {
    await reply((await apiOf(stack.ready)).POST("/mission", { body: { name: "Kept" } }));
    const leftovers = recordedProcesses();
    // A child that hangs does not notice that the stack is gone.
    process.kill(Number(readFileSync(join(folder, "run", "gateway.pid"), "utf8")), "SIGSTOP");
    stack.process.kill("SIGKILL");
    await stack.ended;

    const again = await startStack();
    expect(leftovers.filter(isAlive)).toEqual([]);
    expect(again.ready.user).toEqual(stack.ready.user);
    expect(again.ready.drone_id).toBe(stack.ready.drone_id);
    const missions = await reply((await apiOf(again.ready)).GET("/missions"));
    expect(missions.map(({ name }) => name)).toContain("Kept");

    const second = run("fleet");
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`The stack runs already (process ${again.process.pid})`);

    const processes = recordedProcesses();
    again.process.kill("SIGINT");
    expect(await again.ended).toBe(0);
    expect(processes.filter(isAlive)).toEqual([]);
    expect(existsSync(readyFile(folder))).toBe(false);
  });
});

test("a stack that is started with --reset has lost the stored data", async () => {
  const stack = await startStack("--reset");
  expect(await reply((await apiOf(stack.ready)).GET("/missions"))).toEqual([]);
  stack.process.kill("SIGTERM");
  expect(await stack.ended).toBe(0);
});

test("a taken port is the reason given, and nothing is left running", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) =>
    taken.listen(Number(environment.GATEWAY_PORT), "127.0.0.1", () => resolve()),
  );
  atEndOfFile(async () => void taken.close());
  const stack = run("fleet");
  expect(await stack.ended).toBe(1);
  expect(stack.output()).toContain(
    `Port ${environment.GATEWAY_PORT}, which the gateway (GATEWAY_PORT) needs, is taken`,
  );
  expect(existsSync(join(folder, "postgres", "data", "postmaster.pid"))).toBe(false);
});
