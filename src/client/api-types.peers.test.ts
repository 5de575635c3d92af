import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../platform/process/version";
import { freshFolder } from "../testing/fresh-servers";
import { startTestGateway } from "../testing/worlds/start-gateway";

const KEPT = join(packageRoot, "src/client/api-types.ts");

test("the client's types are those that openapi-typescript makes of /openapi.json", async () => {
  const gateway = await startTestGateway({});
  const folder = freshFolder("api-types");
  const [description, made] = [join(folder, "openapi.json"), join(folder, "api-types.ts")];
  writeFileSync(description, JSON.stringify((await gateway.api.get("/openapi.json")).body));
  execFileSync(join(packageRoot, ".ci/peers/api-types"), [description, made], { stdio: "pipe" });
  const types = readFileSync(made, "utf8");
  // `npm run client:types`.
  if (process.env.WRITE_API_TYPES) writeFileSync(KEPT, types);
  expect(readFileSync(KEPT, "utf8") === types).toBe(true);
}, 120_000);
