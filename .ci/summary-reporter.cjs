const { appendFileSync } = require("node:fs");

/**
 * Prints one line of totals as the last line of a jest run, and where it counts (CI=true) fails a run that
 * left something out: a skipped or unwritten test, or no test at all. With TEST_TOTALS the line goes to that file, for
 * a caller with more to print.
 */
module.exports = class SummaryReporter {
  constructor(
    _globalConfig,
    {
      print = (line) =>
        process.env.TEST_TOTALS
          ? appendFileSync(process.env.TEST_TOTALS, `${line}\n`)
          : process.stdout.write(`${line}\n`),
      atEnd = (run) => process.once("exit", run),
      strict = process.env.CI === "true",
    } = {},
  ) {
    this.print = print;
    this.atEnd = atEnd;
    this.strict = strict;
  }

  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = results;
    const leftOut = numPendingTests + numTodoTests;
    this.fault = this.strict ? faultOf(results, leftOut) : undefined;
    // jest's own summary is still to come.
    this.atEnd(() => {
      if (this.fault) this.print(this.fault);
      this.print(`${numPassedTests} passed, ${numFailedTests} failed, ${leftOut} skipped`);
    });
  }

  /** Asked by jest after the run; an error makes it exit with 1. */
  getLastError() {
    return this.fault ? new Error(this.fault) : undefined;
  }
};

function faultOf({ numTotalTests, numRuntimeErrorTestSuites }, leftOut) {
  if (numTotalTests === 0) return "No test ran.";
  if (leftOut > 0) return `${leftOut} test(s) were left out, which CI=true does not accept.`;
  if (numRuntimeErrorTestSuites > 0) return "A test file could not be run.";
  return undefined;
}
