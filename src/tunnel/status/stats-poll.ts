import type { TunnelMetrics } from "../metrics";
import type { PlanePeers } from "../reconcile/plane-peers";

const EVERY_MS = 1_000;

/**
 * Polls both interfaces each second: statistics, handshakes, and whether they still exist. `onGone`: one that was up cannot
 * be read any more. Returns the function that stops it.
 */
export function pollStats(
  planes: readonly PlanePeers[],
  onGone: () => void,
  metrics: TunnelMetrics,
): () => void {
  let isPolling = false;
  const poll = async () => {
    if (isPolling) return;
    isPolling = true;
    const up = planes.filter(({ up }) => up);
    const results = await Promise.allSettled(up.map((plane) => plane.read()));
    const failed = results.filter(({ status }) => status === "rejected");
    for (const _ of failed) metrics.failed("stats");
    if (failed.length > 0) onGone();
    isPolling = false;
  };
  const timer = setInterval(() => void poll(), EVERY_MS);
  return () => clearInterval(timer);
}
