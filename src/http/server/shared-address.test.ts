import { createLogger } from "../../platform/process/log";
import { createMetrics } from "../../platform/process/metrics";
import { SharedAddressWatch } from "./shared-address";

function watch() {
  const lines: string[] = [];
  const log = createLogger("test", "info", { write: (line) => void lines.push(line) });
  const registry = createMetrics("test");
  let minutes = 0;
  const watched = new SharedAddressWatch(log, registry, { now: () => new Date(minutes * 60_000) });
  const gauge = async () =>
    Number(/fleet_shared_client_address\{[^}]*\} (\d)/.exec(await registry.metrics())?.[1]);
  const after = (more: number) => {
    minutes += more;
  };
  return { lines, watched, gauge, after };
}

test("five users behind one address are one warning with advice, and a gauge", async () => {
  const { lines, watched, gauge, after } = watch();
  for (let round = 0; round < 3; round++) {
    for (let user = 1; user <= 5; user++) watched.add(user, "10.0.0.9");
    after(6);
    expect(await gauge()).toBe(1);
  }
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    address: "10.0.0.9",
    msg: expect.stringContaining("TRUSTED_PROXIES"),
  });
  after(6);
  expect(await gauge()).toBe(0);
});

test.each([
  ["a second address is seen", [1, 2, 3, 4, 5], "203.0.113.9"],
  ["there are four users", [1, 2, 3, 4], "10.0.0.9"],
])("nothing is said when %s", async (_when, users, of) => {
  const { lines, watched, gauge, after } = watch();
  for (const user of users) watched.add(user, "10.0.0.9");
  watched.add(1, of);
  after(6);
  expect([await gauge(), lines]).toEqual([0, []]);
});
