import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { chartFolder } from "./values/values-schema";

interface Suite {
  readonly templates?: readonly string[];
  readonly tests: readonly { readonly template?: string; readonly templates?: readonly string[] }[];
}

/** Templates that a test of more than one template reads, each with that test. */
const triedElsewhere: Readonly<Record<string, string>> = {
  "templates/refusals.yaml": "values/refusals.test.ts",
  "templates/networkpolicies-cilium.yaml": "network-policies.test.ts",
  "templates/setup/store-users.yaml": "store-users.test.ts",
};

const filesIn = (folder: string) =>
  readdirSync(join(chartFolder, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => join(folder, name));

test("every template has unit tests of its own", () => {
  const suites = filesIn("tests")
    .filter((name) => name.endsWith("_test.yaml"))
    .flatMap((name) => parseAllDocuments(readFileSync(join(chartFolder, name), "utf8")))
    .map((document) => document.toJSON() as Suite);
  const tried = new Set(
    suites.flatMap((suite) => [
      ...(suite.templates ?? []),
      ...suite.tests.flatMap(({ template, templates = [] }) => [
        ...templates,
        ...(template ? [template] : []),
      ]),
    ]),
  );
  const all = [...filesIn("templates"), ...filesIn("charts").filter((name) => name.includes("/templates/"))];
  expect(all.length).toBeGreaterThan(15);
  expect(all.filter((name) => !tried.has(name) && !(name in triedElsewhere))).toEqual([]);
  expect(Object.values(triedElsewhere).filter((name) => !existsSync(join(__dirname, name)))).toEqual([]);
});
