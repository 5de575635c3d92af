/**
 * Prints one line of totals at the very end of a jest run, and where it counts (CI=true) fails a run that
 * left something out: a skipped or unwritten test, or no test at all.
 */
module.exports = class SummaryReporter {
  constructor(_globalConfig, options = {}) {
    this.print = options.print ?? ((line) => process.stdout.write(`${line}\n`));
    this.strict = options.strict ?? process.env.CI === "true";
  }

  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = results;
    const left = numPendingTests + numTodoTests;
    this.failure = this.faultOf(results, left);
    // After the default reporter's own summary, which is printed by an earlier entry of the list.
    if (this.failure) this.print(this.failure.message);
    this.print(`${numPassedTests} passed, ${numFailedTests} failed, ${left} skipped`);
  }

  faultOf({ numTotalTests, numRuntimeErrorTestSuites }, left) {
    if (!this.strict) return undefined;
    if (numTotalTests === 0) return new Error("No test ran.");
    if (left > 0) return new Error(`${left} test(s) were skipped, which CI=true does not accept.`);
    if (numRuntimeErrorTestSuites > 0) return new Error("A test file could not be run.");
    return undefined;
  }

  getLastError() {
    return this.failure;
  }
};
