import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { packageRoot } from "../../../src/platform/process/version";
import { freshFolder } from "../../../src/testing";
import { hubAddress, render, run, tool } from "../helm";
import { chartFolder } from "../values/values-schema";
import { unscoped } from "./promql";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook_url: string };
}
interface Group {
  readonly name: string;
  readonly rules: readonly Rule[];
}

const withTunnel = { tunnel: { enabled: true, endpointHost: "vpn.example.com" }, ...hubAddress };
const monitoring = { podMonitor: true, rules: true, runbookBase: "RUNBOOKS" };
/** Labels that the Prometheus operator gives the series of the release that `render` makes. */
const SCOPE = 'namespace="drones",job="drones/fleet"';

async function groupsOf(values: object): Promise<readonly Group[]> {
  const rule = (await render({ monitoring, ...values })).find(({ kind }) => kind === "PrometheusRule");
  if (!rule) throw new Error("The chart renders no rules.");
  return (rule.spec as unknown as { groups: Group[] }).groups;
}

const exprsOf = (all: readonly Rule[]) => all.map(({ expr }) => expr);

let rules: readonly Rule[];
let folder: string;
beforeAll(async () => {
  folder = freshFolder("alerts");
  const groups = await groupsOf({ ...withTunnel, worker: { enabled: true } });
  writeFileSync(join(folder, "rules.yaml"), stringify({ groups }));
  rules = groups.flatMap((group) => group.rules);
});

test("every alert fires on its fault only", async () => {
  const tried = readFileSync(join(chartFolder, "tests/alerts.promtool.yaml"), "utf8");
  const file = join(folder, "tests.yaml");
  writeFileSync(file, tried.replaceAll("SCOPE", SCOPE).replace("[RULES]", "[rules.yaml]"));
  await run(tool("promtool"), ["test", "rules", file]);
  for (const { alert } of rules) {
    expect(tried).toMatch(new RegExp(`alertname: ${alert} }`));
    expect(tried).toMatch(new RegExp(`alertname="${alert}"`));
  }
});

test("every alert selects only the release's own series, for each way of discovery", async () => {
  expect(rules.length).toBeGreaterThan(15);
  expect(unscoped(exprsOf(rules), SCOPE)).toEqual([]);
  const byAnnotation = await groupsOf({ ...withTunnel, monitoring: { rules: true } });
  const pods = 'namespace="drones",pod=~"fleet-(gateway|relay|worker|tunnel)-.+"';
  expect(unscoped(exprsOf(byAnnotation.flatMap((group) => group.rules)), pods)).toEqual([]);
});

test("no alert fires about a tunnel or worker that the release does not have", async () => {
  const names = (await groupsOf({})).map(({ name }) => name);
  expect(names).toEqual(["fleet-relay", "fleet-gateway", "fleet-jobs", "fleet-presence"]);
});

test("every alert has a runbook, and every runbook its alert", () => {
  const named = rules.map(({ annotations }) => annotations.runbook_url.replace("RUNBOOKS/", ""));
  const there = readdirSync(join(packageRoot, "docs/runbooks")).filter((name) => name !== "README.md");
  expect([...new Set(named)].toSorted()).toEqual(there.toSorted());
});
