import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { freshFolder } from "../../../src/testing";
import { render, run, tool } from "../helm";
import { unscoped } from "./promql";

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly {
    readonly title: string;
    /** A row has none. */
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

/** The one file in the dashboard's ConfigMap, and its content. */
async function dashboardOf(
  values: object = {},
  place?: { release: string; namespace: string },
): Promise<{ file: string; dashboard: Dashboard }> {
  const objects = await render({ monitoring: { dashboard: true, ...values } }, undefined, {}, place);
  const files = objects
    .filter(({ metadata }) => metadata.labels?.grafana_dashboard === "1")
    .flatMap(({ data }) => Object.entries(data as Record<string, string>));
  expect(files).toHaveLength(1);
  const [[file, text]] = files as [[string, string]];
  return { file, dashboard: JSON.parse(text) };
}

const queriesOf = ({ panels }: Dashboard) =>
  panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

test.each([
  ["the operator's PodMonitor", { podMonitor: true }, 'namespace="drones",job="drones/fleet"'],
  ["annotations", {}, 'namespace="drones",pod=~"fleet-(gateway|relay|worker|tunnel)-.+"'],
])("discovered by %s, every query selects only the release's own series", async (_, values, scope) => {
  const queries = queriesOf((await dashboardOf(values)).dashboard);
  expect(queries.length).toBeGreaterThan(15);
  expect(unscoped(queries, scope)).toEqual([]);
});

test("every query is valid in Prometheus", async () => {
  const queries = queriesOf((await dashboardOf()).dashboard);
  const rules = queries.map((expr, at) => ({ record: `query:${at}`, expr }));
  const file = join(freshFolder("dashboard"), "queries.yaml");
  writeFileSync(file, stringify({ groups: [{ name: "dashboard", rules }] }));
  await run(tool("promtool"), ["check", "rules", file]);
});

test("one Grafana shows the dashboards of several releases", async () => {
  const places = [
    { release: "fleet", namespace: "drones" },
    { release: "fleet", namespace: "drones-test" },
    { release: "test-fleet", namespace: "drones" },
    { release: "r".repeat(40), namespace: "n".repeat(63) },
  ];
  const all = await Promise.all(places.map((place) => dashboardOf({}, place)));
  for (const { file, dashboard } of all) {
    // Valid as Grafana's uid, and as a ConfigMap's key.
    expect(dashboard.uid).toMatch(/^[\w-]{1,40}$/);
    expect(file).toMatch(/^[-.\w]{1,248}\.json$/);
  }
  for (const part of [
    all.map(({ file }) => file),
    all.map(({ dashboard }) => dashboard.uid),
    all.map(({ dashboard }) => dashboard.title),
  ]) {
    expect(new Set(part).size).toBe(places.length);
  }
});
