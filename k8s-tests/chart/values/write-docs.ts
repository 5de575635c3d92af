import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readmeText } from "./values-docs";
import { chartFolder, schemaTexts } from "./values-schema";

/** `npm run docs:chart`: the schemas of the values and the table in README.md, from values.yaml. */
const files = { ...schemaTexts(), "README.md": readmeText() };
for (const [name, text] of Object.entries(files)) writeFileSync(join(chartFolder, name), text);
