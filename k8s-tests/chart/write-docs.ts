import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chartFolder, readmeText, schemaText } from "./values-docs";

/** `npm run docs:chart`: values.schema.json and the table in README.md, from values.yaml. */
writeFileSync(join(chartFolder, "values.schema.json"), schemaText());
writeFileSync(join(chartFolder, "README.md"), readmeText());
