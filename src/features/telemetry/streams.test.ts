import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../platform/process/version";
import { STREAMS, streamsOf, TELEMETRY_TYPES } from "./streams";

test("docs/api.md lists each stream with its types", () => {
  const page = readFileSync(join(packageRoot, "docs/api.md"), "utf8");
  const listed = STREAMS.map((stream) => {
    const [, cell = ""] = new RegExp(`^\\| \`${stream}\` \\| (.*) \\|$`, "m").exec(page) ?? [];
    return [stream, TELEMETRY_TYPES.filter((type) => cell.includes(`\`${type}\``))];
  });
  // The dashboard's row lists the types that no other stream carries.
  const carried = STREAMS.map((stream) => [
    stream,
    TELEMETRY_TYPES.filter((type) => streamsOf(type)[0] === stream),
  ]);
  expect(listed).toEqual(carried);
});
