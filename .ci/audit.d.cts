export interface Allowance {
  readonly advisory: string;
  readonly reason: string;
  /** YYYY-MM-DD */
  readonly until: string;
}
export function judge(
  report: string,
  allowed: readonly Allowance[],
  today: string,
): { verdict: "clean" | "holes" | "none" | "unreachable"; lines: string[] };
