import type { PlaneName } from "../../domain/tunnel-planes";
import type { Logger } from "../../platform/process/log";
import type { Stage, TunnelMetrics } from "../metrics";

/** Counts and logs the failures of a reconciliation's stages. A stage that fails stops no other. */
export class Stages {
  private readonly lastError = new Map<string, string>();

  constructor(
    private readonly log: Logger,
    private readonly metrics: TunnelMetrics,
  ) {}

  /** Resolves with whether the stage succeeded. A failure is counted, and logged unless it repeats the last one. */
  async outcome(stage: Stage, run: Promise<unknown>, plane?: PlaneName): Promise<boolean> {
    const part = `${stage} ${plane ?? ""}`;
    try {
      await run;
      if (this.lastError.delete(part))
        this.log.info({ stage, plane }, "A stage of the reconciliation works again");
      return true;
    } catch (error) {
      this.metrics.failed(stage);
      const message = String(error);
      if (this.lastError.get(part) !== message) {
        this.log.error({ stage, plane, err: error }, "A stage of the reconciliation failed");
      }
      this.lastError.set(part, message);
      return false;
    }
  }
}
