import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../platform/process/version";

const page = readFileSync(join(packageRoot, "docs/glossary.md"), "utf8");

/** The rows of the glossary's tables, each `| term | meaning | not used |`. */
const rows = [...page.matchAll(/^\| (?!-|term)(.+?) \| (.+?) \| (.*?) \|$/gm)].map(
  ([, term, meaning, notUsed]) => ({
    term: term as string,
    meaning: meaning as string,
    notUsed: [...(notUsed as string).matchAll(/`([\w-]+)`/g)].map(([, word]) =>
      (word as string).toLowerCase(),
    ),
  }),
);
const notUsed = new Set(rows.flatMap((row) => row.notUsed));

/** `openDoors` and `open-doors` are the words "open" and "doors". */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1-$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z\d]+/);

/** A term of one word is looked for among a name's words, one of several words in the whole name. */
const coinagesIn = (name: string): string[] => {
  const words = wordsOf(name);
  const whole = `-${words.join("-")}-`;
  return [...notUsed].filter((word) => whole.includes(`-${word}-`));
};

const sources = execFileSync("git", ["ls-files"], {
  cwd: packageRoot,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "");

test("the glossary has terms, one row each, and names what is not used", () => {
  expect(rows.length).toBeGreaterThan(30);
  expect(notUsed.size).toBeGreaterThan(30);
  expect(new Set(rows.map(({ term }) => term)).size).toBe(rows.length);
});

test("no file or folder has a name that the glossary lists as not used", () => {
  expect(sources.filter((file) => coinagesIn(file).length > 0)).toEqual([]);
});

test("no exported name has a word that the glossary lists as not used", () => {
  const exported = sources
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      [
        ...readFileSync(join(packageRoot, file), "utf8").matchAll(
          /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:class|interface|type|const|let|function\*?|enum) (\w+)/gm,
        ),
      ].map(([, name]) => ({ file, name: name as string })),
    );
  expect(exported.length).toBeGreaterThan(1_000);
  expect(exported.filter(({ name }) => coinagesIn(name).length > 0)).toEqual([]);
});

test("a retired word is found as a word of a name, and not inside another word", () => {
  const [word] = notUsed;
  expect(coinagesIn(`open-${word}`)).toEqual([word]);
  expect(coinagesIn(`x${word}y`)).toEqual([]);
});
