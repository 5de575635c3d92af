import { adminConfig, configSchemas, loadConfig } from ".";
import { findRetired, retiredVariables } from "./retired";

const table = {
  OLD_PORT: { now: "NEW_PORT" },
  OLD_LIMIT: {},
  OLD_LOCK: { now: "NEW_LOCK", unsafe: "two hubs would serve at once" },
};

test("a variable of an earlier release that is still set is named with its new name, never with its value", () => {
  const { warnings, faults } = findRetired(
    { OLD_PORT: "70", OLD_LIMIT_FILE: "/run/limit", PATH: "/bin" },
    table,
  );
  expect(warnings).toEqual(["OLD_PORT is now NEW_PORT", "OLD_LIMIT was removed and has no effect"]);
  expect(faults).toEqual([]);
});

test("a variable that is unsafe to ignore is a fault of the configuration", () => {
  expect(findRetired({ OLD_LOCK: "a" }, table)).toEqual({
    warnings: [],
    faults: ["OLD_LOCK is now NEW_LOCK: two hubs would serve at once"],
  });
  expect(findRetired({ OLD_LOCK: "" }, table).faults).toEqual([]);
});

test("no process reads a retired variable, and each new name is one that a process reads", () => {
  const known = new Set(Object.values(configSchemas).flatMap(({ shape }) => Object.keys(shape)));
  expect(Object.keys(retiredVariables).filter((name) => known.has(name))).toEqual([]);
  const renamed = Object.values(retiredVariables).flatMap(({ now }) => now?.match(/^[A-Z\d_]+$/) ?? []);
  const readBySdk = new Set(["AWS_ENDPOINT_URL_ECR", "AWS_REGION"]);
  expect(renamed.filter((name) => !known.has(name) && !readBySdk.has(name))).toEqual([]);
});

test("a process that finds one starts and warns once", () => {
  const [name] = Object.keys(retiredVariables);
  const warned: (readonly string[])[] = [];
  const env = { DATABASE_URL: "postgres://localhost/fleet", [String(name)]: "1" };
  loadConfig(adminConfig, env, (retired) => warned.push(retired));
  expect(warned).toEqual([[expect.stringContaining(String(name))]]);
});
