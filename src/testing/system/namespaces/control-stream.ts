import { until } from "../../until";
import type { Namespace } from "./namespace";

/** Processes that a packet meets in the tunnels and that the control stream does not: a busy machine delays each. */
const HOPS = 5;
const OWN_MS = 100;

/**
 * A stream between the same nodes and through the same hub, but outside of the tunnels, to a TCP echo port. It measures
 * how busy the machine is. Resolves with a function that gives the limit for the longest round trip of a stream through
 * the tunnels so far, in milliseconds.
 */
export async function controlStream(
  from: Namespace,
  to: Namespace,
  port: number,
): Promise<() => Promise<number>> {
  const [near, far] = [await addressOf(from), await addressOf(to)];
  for (const [node, own, other] of [
    [from, near, far],
    [to, far, near],
  ] as const) {
    await node.shell(`ip route add ${other}/32 via ${own.replace(/\d+$/, "1")}`);
  }
  await from.stream("control", { host: far, protocol: "tcp", port });
  await until(async () => (await from.report("control")).echoed > 5);
  return async () => OWN_MS + HOPS * (await from.report("control")).worstMs;
}

/** Prints a stream's longest round trip, because the limit of a test allows for a busy machine. */
export async function printRoundTrips(from: Namespace, stream: string, when: string): Promise<void> {
  const [ours, past] = [await from.report(stream), await from.report("control")];
  process.stdout.write(
    `worst round trip ${when}: ${ours.worstMs.toFixed(1)} ms; past the tunnels ${past.worstMs.toFixed(1)} ms\n`,
  );
}

async function addressOf(node: Namespace): Promise<string> {
  const [, address] = /inet (\S+)\//.exec(await node.shell("ip -4 -o address show dev eth0")) ?? [];
  if (!address) throw new Error(`${node.name} has no address on its link.`);
  return address;
}
