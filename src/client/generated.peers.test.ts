import { execFile, execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { packageRoot } from "../platform/process/version";
import { freshFolder } from "../testing/fresh-servers";
import { startTestGateway, type TestGateway } from "../testing/worlds/start-gateway";

jest.setTimeout(120_000);

const KEPT = join(packageRoot, "src/client/api-types.ts");

let gateway: TestGateway;
let folder: string;
let description: string;
beforeAll(async () => {
  gateway = await startTestGateway({});
  folder = freshFolder("generated");
  description = join(folder, "openapi.json");
  writeFileSync(description, JSON.stringify((await gateway.api.get("/openapi.json")).body));
});

test("the client's types are those that openapi-typescript makes of /openapi.json", () => {
  const made = join(folder, "api-types.ts");
  execFileSync(join(packageRoot, ".ci/peers/api-types"), [description, made], { stdio: "pipe" });
  const types = readFileSync(made, "utf8");
  // `npm run client:types`.
  if (process.env.WRITE_API_TYPES) writeFileSync(KEPT, types);
  expect(readFileSync(KEPT, "utf8") === types).toBe(true);
});

test("a client that openapi-python-client makes stores a mission and reads it back", async () => {
  const interpreter = process.env.PEERS_PYTHON;
  if (!interpreter) throw new Error("Run these tests by `npm run test:peers`");
  const generate = join(dirname(interpreter), "openapi-python-client");
  const output = ["--output-path", join(folder, "fleet"), "--meta", "none"];
  execFileSync(generate, ["generate", "--path", description, ...output], { stdio: "pipe" });
  const { username, password, api } = await gateway.newUser();
  const program = join(packageRoot, ".ci/peers/generated_client.py");
  const args = [program, folder, `${gateway.url}/api/v1`, username, password];
  const { stdout } = await promisify(execFile)(interpreter, args);
  const mission = JSON.parse(stdout);
  expect(mission).toMatchObject({
    name: "From Python",
    mission_points: [1, 2, 3].map((sequence) => ({ lat: 47.4, altitude: 20, type: "fly", sequence })),
  });
  expect((await api.get("/missions")).body).toEqual([mission]);
});
