import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { judge } from "../../../.ci/audit.cjs";
import { packageRoot } from "../../platform/process/version";
import { freshFolder } from "../fresh-servers";

/** As `npm audit --json` tells of one hole: in the package, and in what depends on it. */
const report = (severity: string) =>
  JSON.stringify({
    vulnerabilities: {
      tar: {
        via: [{ name: "tar", title: "Escapes", severity, url: "https://github.com/advisories/GHSA-1" }],
      },
      above: { via: ["tar"] },
    },
  });
const allowed = [{ advisory: "GHSA-1", reason: "it unpacks nothing here", until: "2030-01-31" }];

test("a high or critical advisory fails, a lower one does not", () => {
  for (const severity of ["high", "critical"])
    expect(judge(report(severity), [], "2030-01-01")).toMatchObject({
      verdict: "holes",
      lines: [expect.stringContaining("GHSA-1"), expect.stringMatching(/^1 /)],
    });
  expect(judge(report("moderate"), [], "2030-01-01").verdict).toBe("clean");
});

test("an allowed advisory does not fail before its allowance expires, and the reason is printed", () => {
  const result = judge(report("high"), allowed, "2030-01-31");
  expect([result.verdict, result.lines[0]]).toEqual([
    "clean",
    expect.stringContaining("it unpacks nothing here"),
  ]);
  expect(judge(report("high"), allowed, "2030-02-01").verdict).toBe("holes");
});

test("an allowance that is no longer needed is reported", () => {
  const { verdict, lines } = judge(JSON.stringify({ vulnerabilities: {} }), allowed, "2030-01-01");
  expect([verdict, lines[0]]).toEqual(["clean", expect.stringContaining("take it off")]);
});

/** An `npm` that answers so, in place of the registry's. */
function npmThatSays(answers: readonly string[]): string {
  const folder = freshFolder("npm");
  answers.forEach((answer, at) => {
    writeFileSync(join(folder, `answer-${at}`), answer);
  });
  const program = `#!/usr/bin/env bash
at=$(cat "${folder}/asked" 2>/dev/null || echo 0)
echo $((at + 1)) > "${folder}/asked"
cat "${folder}/answer-$at" 2>/dev/null || cat "${folder}/answer-${answers.length - 1}"
`;
  writeFileSync(join(folder, "npm"), program, { mode: 0o755 });
  return folder;
}

function audit(answers: readonly string[], env: Readonly<Record<string, string>>) {
  const folder = npmThatSays(answers);
  const { status, stdout, stderr } = spawnSync("bash", [join(packageRoot, ".ci/audit")], {
    env: { PATH: `${folder}:${process.env.PATH}`, AUDIT_PAUSES: "0 0 0", ...env },
    encoding: "utf8",
  });
  return { status, said: stdout, warned: stderr, asked: Number(readFileSync(join(folder, "asked"), "utf8")) };
}

const clean = JSON.stringify({ vulnerabilities: {} });
const noAdvisories = '{"message":"405 Method Not Allowed","statusCode":405,"error":{"summary":""}}';
const away = '{"message":"request failed, reason: getaddrinfo EAI_AGAIN","error":{"summary":""}}';
const CI = { CI: "true" };

test("a registry without advisories is reported, asked once and does not fail the run", () => {
  expect(audit([noAdvisories], CI)).toEqual({
    status: 0,
    said: "",
    warned: expect.stringMatching(/^NOT AUDITED: no verdict, the registry serves no advisories \(405/),
    asked: 1,
  });
});

test.each(["", "<html>", away, '{"message":"503 Service Unavailable","statusCode":503}'])(
  "a registry that answers %j is asked three times, and then fails the run in CI",
  (answer) => {
    const { status, warned, asked } = audit([answer], CI);
    expect([status, asked]).toEqual([1, 3]);
    expect(warned.match(/^NOT AUDITED: no verdict, the registry could not be asked/gm)).toHaveLength(3);
    expect(audit([answer], {}).status).toBe(0);
  },
);

test("the second answer of a registry counts", () => {
  expect(audit([away, clean], CI)).toMatchObject({ status: 0, asked: 2 });
  expect(audit([away, report("high")], {})).toMatchObject({ status: 1, asked: 2 });
});
