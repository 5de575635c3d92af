import { judge } from "../../.ci/audit.cjs";

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

test("a severe hole fails, a lesser one does not", () => {
  for (const severity of ["high", "critical"])
    expect(judge(report(severity), [], "2030-01-01")).toMatchObject({
      failed: true,
      lines: [expect.stringContaining("GHSA-1"), expect.stringMatching(/^1 /)],
    });
  expect(judge(report("moderate"), [], "2030-01-01").failed).toBe(false);
});

test("an allowed one does not fail until its allowance has expired, and the reason is told", () => {
  const told = judge(report("high"), allowed, "2030-01-31");
  expect([told.failed, told.lines[0]]).toEqual([false, expect.stringContaining("it unpacks nothing here")]);
  expect(judge(report("high"), allowed, "2030-02-01").failed).toBe(true);
});

test("an allowance that nothing needs any more is told of", () => {
  const { failed, lines } = judge(JSON.stringify({ vulnerabilities: {} }), allowed, "2030-01-01");
  expect([failed, lines[0]]).toEqual([false, expect.stringContaining("take it off")]);
});

test.each(["", "<html>", '{"message":"405 Method Not Allowed","error":{}}'])(
  "a registry that answers %j has audited nothing, which is told and is no failure",
  (text) => {
    const { failed, lines } = judge(text, [], "2030-01-01");
    expect([failed, lines[0]]).toEqual([false, expect.stringMatching(/^NOT AUDITED/)]);
  },
);
