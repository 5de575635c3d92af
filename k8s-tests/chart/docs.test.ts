import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chartFolder, readmeText, readValues, schemaText } from "./values-docs";

const read = (name: string) => readFileSync(join(chartFolder, name), "utf8");

test("values.schema.json and the README's table are what values.yaml says; `npm run docs:chart` writes them", () => {
  expect(read("values.schema.json")).toBe(schemaText());
  expect(read("README.md")).toBe(readmeText());
});

test("every value is described", () => {
  const { rows } = readValues();
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter(({ description }) => description === "").map(({ path }) => path)).toEqual([]);
});
