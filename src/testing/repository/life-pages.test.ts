import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../platform/process/version";

const read = (file: string) => readFileSync(join(packageRoot, file), "utf8");
const sources = new Map(
  execFileSync("git", ["ls-files", "src", "migrations"], { cwd: packageRoot, encoding: "utf8" })
    .split("\n")
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => [file, read(file)]),
);
const pages = ["docs/life-of-an-order.md", "docs/life-of-a-peer.md"];

/** Whether the text declares a function, class, type, constant, member or database function of this name. */
function declares(text: string, name: string): boolean {
  const declaration = `\\b(?:function\\*?|class|interface|type|const|FUNCTION)\\s+${name}\\b`;
  const property = `^\\s+(?:(?:private|protected|static|readonly|async|get)\\s+)+${name}\\b|^\\s+${name}\\??\\s*[:=]`;
  const method = `^\\s+${name}\\??(?:<.*>)?\\((?:$|.*\\)(?::| \\{))`;
  return new RegExp(`${declaration}|${property}|${method}`, "m").test(text);
}

/** `Keyring.keys` is declared where both words are. */
const hasName = (text: string, name: string) => name.split(".").every((part) => declares(text, part));

interface NameInFile {
  readonly name: string;
  readonly file: string;
}

/** Names beside a file, as "`name` (`file`", "`one` and `two` (`file`", "`name` in `file`" or two cells of a table. */
function namesInFiles(page: string): NameInFile[] {
  const text = page.replaceAll(/\s+/g, " ");
  const beside = /((?:`[\w.]+`(?:, | and )?)+) (?:\(|in |\| )`([\w./-]+\.ts)`(?! or )/g;
  return [...text.matchAll(beside)].flatMap(([, names, file]) =>
    [...(names as string).matchAll(/`([\w.]+)`/g)].map(([, name]) => ({
      name: name as string,
      file: file as string,
    })),
  );
}

/** Names that cannot be words: `Keyring.keys`, `planPeers`, `PairSet`. */
const codeNames = (page: string): string[] =>
  [...page.matchAll(/`([A-Za-z]\w*(?:\.[a-z]\w*)?)`/g)]
    .map(([, name]) => name as string)
    .filter((name) => /^[A-Z]\w*[a-z]\w*\.|[a-z][A-Z]/.test(name));

test.each(pages)("%s names a function beside the file that has it", (page) => {
  const named = namesInFiles(read(page));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ name, file }) => !hasName(sources.get(file) ?? "", name))).toEqual([]);
});

test.each(pages)("%s names only functions, classes and members that exist", (page) => {
  const names = codeNames(read(page));
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => ![...sources.values()].some((text) => hasName(text, name)))).toEqual([]);
});

test("a name that its file does not have is noticed, in a sentence and in a table", () => {
  const [inSentence, , inTable] = namesInFiles(
    "`judge` and `readFleet` (`src/a.ts`) …\n\n| 5 | `Keyring.judge` | `src/b.ts` | reads |",
  );
  expect([inSentence, inTable]).toEqual([
    { name: "judge", file: "src/a.ts" },
    { name: "Keyring.judge", file: "src/b.ts" },
  ]);
  const text = "class Keyring {\n  private async keys(): void {\n    judge();\n  }\n}\n";
  expect(["Keyring.keys", "judge", "Keyring.judge"].map((name) => hasName(text, name))).toEqual([
    true,
    false,
    false,
  ]);
});
