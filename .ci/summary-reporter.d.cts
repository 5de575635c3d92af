/** Totals of a jest run that the reporter reads. */
interface RunResults {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numTotalTests: number;
  numRuntimeErrorTestSuites: number;
}

declare class SummaryReporter {
  constructor(
    globalConfig: unknown,
    options?: {
      print?: (line: string) => void;
      atEnd?: (run: () => void) => void;
      strict?: boolean;
    },
  );
  onRunComplete(contexts: unknown, results: RunResults): void;
  getLastError(): Error | undefined;
}
export = SummaryReporter;
