import SummaryReporter from "../../../.ci/summary-reporter.cjs";

const results = {
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numTotalTests: 3,
  numRuntimeErrorTestSuites: 0,
};

function report(run: Partial<typeof results>, strict: boolean) {
  const lines: string[] = [];
  const ends: (() => void)[] = [];
  const reporter = new SummaryReporter(undefined, {
    print: (line) => lines.push(line),
    atEnd: (end) => ends.push(end),
    strict,
  });
  reporter.onRunComplete(undefined, { ...results, ...run });
  for (const end of ends) end();
  return { lines, error: reporter.getLastError()?.message };
}

test("the totals are one line, strict or not", () => {
  expect(report({}, true)).toEqual({ lines: ["3 passed, 0 failed, 0 skipped"], error: undefined });
  expect(report({ numFailedTests: 2 }, false).lines).toEqual(["3 passed, 2 failed, 0 skipped"]);
});

test("skipped and unwritten tests are counted together, and fail a strict run only", () => {
  const run = { numPendingTests: 1, numTodoTests: 2 };
  expect(report(run, false)).toEqual({ lines: ["3 passed, 0 failed, 3 skipped"], error: undefined });
  const strict = report(run, true);
  expect(strict.error).toContain("3 test(s) were left out");
  expect(strict.lines.at(-1)).toBe("3 passed, 0 failed, 3 skipped");
});

test("a strict run without a test, or with a file that could not be run, fails", () => {
  expect(report({ numTotalTests: 0, numPassedTests: 0 }, true).error).toBe("No test ran.");
  expect(report({ numRuntimeErrorTestSuites: 1 }, true).error).toBe("A test file could not be run.");
});
