import { execFile, execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { packageRoot } from "../platform/process/version";
import { freshFolder } from "../testing/fresh-servers";
import { startTestGateway, type TestGateway } from "../testing/worlds/start-gateway";

jest.setTimeout(120_000);

let gateway: TestGateway;
let folder: string;
let description: string;
beforeAll(async () => {
  gateway = await startTestGateway({});
  folder = freshFolder("generated");
  description = join(folder, "openapi.json");
  writeFileSync(description, JSON.stringify((await gateway.api.get("/openapi.json")).body));
});

interface Sockets {
  readonly channels: Readonly<
    Record<string, { readonly messages: Readonly<Record<string, { readonly payload?: object }>> }>
  >;
}

/** A description of OpenAPI with the payload of each message of AsyncAPI's, as `<channel>_<message>`. */
function payloadsOf({ channels }: Sockets): object {
  const schemas = Object.entries(channels).flatMap(([channel, { messages }]) =>
    Object.entries(messages).flatMap(([id, { payload }]) => (payload ? [[`${channel}_${id}`, payload]] : [])),
  );
  const info = { title: "Messages", version: "1" };
  return { openapi: "3.1.0", info, paths: {}, components: { schemas: Object.fromEntries(schemas) } };
}

/** Compares what openapi-typescript makes with the file in src/client, or writes that one for `npm run client:types`. */
function expectKept(file: string, document: string): void {
  const made = join(folder, file);
  execFileSync(join(packageRoot, ".ci/peers/api-types"), [document, made], { stdio: "pipe" });
  const types = readFileSync(made, "utf8");
  const kept = join(packageRoot, "src/client", file);
  if (process.env.WRITE_API_TYPES) writeFileSync(kept, types);
  expect(readFileSync(kept, "utf8") === types).toBe(true);
}

test("the client's types are those that openapi-typescript makes of /openapi.json", () => {
  expectKept("api-types.ts", description);
});

test("the types of the sockets' messages are those that openapi-typescript makes of /asyncapi.json", async () => {
  const document = join(folder, "messages.json");
  writeFileSync(document, JSON.stringify(payloadsOf((await gateway.api.get("/asyncapi.json")).body)));
  expectKept("message-types.ts", document);
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
