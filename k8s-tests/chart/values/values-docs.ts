import { notesBelow, tableCell } from "../../../src/platform/config/docs";
import { readText, readValues } from "./values-schema";

const opening = "<!-- values: made from values.yaml by `npm run docs:chart` -->";
const closing = "<!-- end of values -->";

/** README.md with a new table of values, and the text around it unchanged. */
export function readmeText(): string {
  const [before, rest] = readText("README.md").split(opening);
  const after = rest?.split(closing)[1];
  if (before === undefined || after === undefined)
    throw new Error("README.md lacks the markers of the table of values.");
  const values = readValues().rows;
  const rows = values.map(
    ({ path, default: value, description }) =>
      `| \`${path}\` | \`${cell(value)}\` | ${tableCell(description)} |`,
  );
  const notes = notesBelow(values.map(({ path, description }) => [path, description]));
  const table = ["| value | default | what it is |", "|---|---|---|", ...rows, "", ...notes].join("\n");
  return `${before}${opening}\n${table}\n${closing}${after}`;
}

const cell = (value: unknown): string => (JSON.stringify(value) ?? "").replaceAll("|", "\\|");
