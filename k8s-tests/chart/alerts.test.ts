import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { packageRoot } from "../../src/platform/version";
import { run, tool } from "./helm";
import { chartFolder } from "./values-docs";

interface Rule {
  readonly alert: string;
  readonly annotations: { readonly runbook_url: string };
}

const { groups } = parse(readFileSync(join(chartFolder, "files/alerts.yaml"), "utf8")) as {
  groups: { rules: Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

test("every alert is silent while all is well, and speaks when it is not", async () => {
  await run(tool("promtool"), ["test", "rules", join(chartFolder, "tests/alerts.promtool.yaml")]);
  const tried = readFileSync(join(chartFolder, "tests/alerts.promtool.yaml"), "utf8");
  for (const { alert } of rules) {
    expect(tried).toMatch(new RegExp(`alertname: ${alert} }`));
    expect(tried).toMatch(new RegExp(`alertname="${alert}"`));
  }
});

test("every alert has a runbook, and every runbook its alert", () => {
  const named = rules.map(({ annotations }) => annotations.runbook_url.replace("RUNBOOKS/", ""));
  const there = readdirSync(join(packageRoot, "docs/runbooks")).filter((name) => name !== "README.md");
  expect(named.toSorted()).toEqual(there.toSorted());
});
