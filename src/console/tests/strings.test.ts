import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "@swc/core";
import { packageRoot } from "../../platform/process/version";

/** Attributes and properties that are shown to users. */
const SHOWN = /^(label|title|placeholder|alt|hint|aria-label|aria-description)$/;
/** What an expression that is shown takes its text from. */
const SHOWN_PARTS = /^(TemplateLiteral|JSXExpressionContainer|ConditionalExpression|ParenthesisExpression)$/;
/** Elsewhere, a single word is a name of the program. */
const SENTENCE = /^\p{Lu}\p{Ll}* \p{L}/u;
/** Commands that users copy, and units, are the same in all languages. */
const NO_TEXT = /^(npm run .*|m|ft)$/;

type Node = { readonly [key: string]: unknown };

/** The texts that a source has in itself. Errors that it throws are for whoever writes the console. */
function textsIn(source: string, tsx: boolean): string[] {
  const found: string[] = [];
  const visit = (value: unknown, isShown: boolean): void => {
    if (typeof value !== "object" || value === null) return;
    const node = value as Node;
    const type = String(node.type);
    if (type === "ThrowStatement") return;
    if (/^(StringLiteral|TemplateElement|JSXText)$/.test(type)) {
      const text = String(node.value ?? node.raw).trim();
      if ((isShown ? /\p{L}/u : SENTENCE).test(text) && !NO_TEXT.test(text)) found.push(text);
    }
    const { value: name } = (node.name ?? node.key ?? {}) as Node;
    const isNamedSo = /^(JSXAttribute|KeyValueProperty)$/.test(type) && SHOWN.test(String(name));
    for (const [key, child] of Object.entries(node)) {
      const begins = key === "value" ? isNamedSo : key === "children";
      visit(child, begins || (isShown && (Array.isArray(node) || SHOWN_PARTS.test(type))));
    }
  };
  visit(parseSync(source, { syntax: "typescript", tsx, target: "es2022" }).body, false);
  return found;
}

test("the console's texts are in strings.ts alone", () => {
  const sources = execFileSync("git", ["ls-files", "src/console"], { cwd: packageRoot, encoding: "utf8" })
    .split("\n")
    .filter((file) => /\.tsx?$/.test(file) && !/^src\/console\/(tests\/|strings\.ts$)/.test(file));
  expect(sources.length).toBeGreaterThan(100);
  const found = sources.flatMap((file) =>
    textsIn(readFileSync(join(packageRoot, file), "utf8"), file.endsWith("x")).map(
      (text) => `${file}: ${text}`,
    ),
  );
  expect(found).toEqual([]);
});

test("texts are found between tags, in what is shown and in sentences", () => {
  const source = `
    const page = <p title="Orders" class="quiet" key={\`row \${at}\`}>Sign in <b>{isOpen ? "shut" : "ft"}</b></p>;
    const row = { label: "Yaw", kind: "Point", hint: \`\${most} at most\`, words: [[0, "Take off"]] };
    throw new Error("There is no page.");`;
  expect(textsIn(source, true)).toEqual(["Orders", "Sign in", "shut", "Yaw", "at most", "Take off"]);
});
