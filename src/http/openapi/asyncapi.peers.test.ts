import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../platform/process/version";
import { freshFolder } from "../../testing/fresh-servers";
import { startTestGateway } from "../../testing/worlds/start-gateway";

/** The errors and warnings of AsyncAPI's own parser. */
function faultsOf(document: object): { readonly code: string }[] {
  const file = join(freshFolder("asyncapi"), "asyncapi.json");
  writeFileSync(file, JSON.stringify(document));
  return JSON.parse(
    execFileSync(join(packageRoot, ".ci/peers/asyncapi-faults"), [file], { encoding: "utf8" }),
  );
}

test("AsyncAPI's parser finds no fault in /asyncapi.json, and one in a document without a version", async () => {
  const gateway = await startTestGateway({});
  const document = (await gateway.api.get("/asyncapi.json")).body;
  expect(faultsOf(document)).toEqual([]);
  const { version: _, ...info } = document.info;
  expect(faultsOf({ ...document, info })).not.toEqual([]);
}, 180_000);
