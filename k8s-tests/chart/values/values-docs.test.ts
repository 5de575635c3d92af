import { readmeText } from "./values-docs";
import { readText, readValues, schemaTexts } from "./values-schema";

test("the schemas and the README's table match values.yaml; `npm run docs:chart` writes them", () => {
  for (const [name, text] of Object.entries(schemaTexts()))
    expect([name, readText(name)]).toEqual([name, text]);
  expect(readText("README.md")).toBe(readmeText());
});

test("every value is described", () => {
  const { rows } = readValues();
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter(({ description }) => description === "").map(({ path }) => path)).toEqual([]);
});
