import type { VpnClient } from "../../src/testing/system/namespaces";
import { until } from "../../src/testing/until";

/** Milliseconds of the slowest round trip of a client's stream of this name, once it has caught up; printed. */
export async function slowestRoundTrip({ node }: VpnClient, name: string): Promise<number> {
  await until(async () => {
    const { sent, echoed } = await node.report(name);
    return echoed > sent - 10;
  }, 60_000);
  const { worstMs, echoed } = await node.report(name);
  process.stdout.write(`${name}: ${echoed} echoes, the slowest after ${Math.round(worstMs)} ms.\n`);
  return worstMs;
}
