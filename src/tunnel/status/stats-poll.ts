import type { TunnelMetrics } from "../metrics";
import type { PlanePeers } from "../reconcile/plane-peers";

const EVERY_MS = 1_000;

/** Polls both interfaces each second: statistics, handshakes, and whether they still exist. */
export class StatsPoll {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly planes: readonly PlanePeers[],
    /** An interface that was up cannot be read any more. */
    private readonly onGone: () => void,
    private readonly metrics: TunnelMetrics,
  ) {}

  start(): void {
    this.next();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private next(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.poll().finally(() => this.next()), EVERY_MS);
  }

  private async poll(): Promise<void> {
    const up = this.planes.filter(({ up }) => up);
    const results = await Promise.allSettled(up.map((plane) => plane.read()));
    const failed = results.filter(({ status }) => status === "rejected");
    for (const _ of failed) this.metrics.failed("stats");
    if (failed.length > 0) this.onGone();
  }
}
