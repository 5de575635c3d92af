import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { packageRoot } from "../../src/platform/process/version";
import { chartFolder } from "./values/values-schema";

interface Policies {
  readonly "time limits": string;
  readonly "body size": string;
  readonly affinity: string;
}

const policies: Readonly<Record<string, Policies>> = parse(
  readFileSync(join(chartFolder, "files/listener-policies.yaml"), "utf8"),
);

test("each name of `route.listenerPolicy` has its policies", () => {
  const schema = JSON.parse(readFileSync(join(chartFolder, "values.schema.json"), "utf8"));
  expect(schema.properties.route.properties.listenerPolicy.enum).toEqual(["", ...Object.keys(policies)]);
});

test("docs/install.md has the same table", () => {
  const page = readFileSync(join(packageRoot, "docs/install.md"), "utf8");
  const rows = Object.entries(policies).map(
    ([name, { "time limits": times, "body size": size, affinity }]) =>
      `| ${[`\`${name}\``, times, size, affinity].join(" | ")} |\n`,
  );
  expect(page).toContain(`|---|---|---|---|\n${rows.join("")}\n`);
});
