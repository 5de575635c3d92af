import type { PlaneName } from "../../domain/tunnel-planes";
import type { Logger } from "../../platform/process/log";
import type { Stage, TunnelMetrics } from "../metrics";

/** The parts of a reconciliation, each on its own: one that fails keeps none of the others from being done. */
export class Steps {
  private readonly lastError = new Map<string, string>();

  constructor(
    private readonly log: Logger,
    private readonly metrics: TunnelMetrics,
  ) {}

  /** Resolves with whether it succeeded. A failure is counted, and named when it is another than the last. */
  async do(stage: Stage, work: () => Promise<unknown>, plane?: PlaneName): Promise<boolean> {
    const part = `${stage} ${plane ?? ""}`;
    try {
      await work();
      if (this.lastError.delete(part)) this.log.info({ stage, plane }, "this part works again");
      return true;
    } catch (error) {
      this.metrics.failed(stage);
      const message = String(error);
      if (this.lastError.get(part) !== message) {
        this.log.error({ stage, plane, err: error }, "a part of the reconciliation failed");
      }
      this.lastError.set(part, message);
      return false;
    }
  }
}
