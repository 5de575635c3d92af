import { planeNames, planes } from "../domain/tunnel-planes";
import { teardownFirewall } from "./firewall/firewall";
import { type Os, realOs } from "./os/os";
import { removeInterface } from "./wireguard/interface";

/**
 * Take everything of ours off the node and nothing else: interfaces first, so that no packet is forwarded when
 * the firewall goes. Each part is tried; rejects with one error that names those that failed.
 */
export async function teardown(os: Os = realOs): Promise<string[]> {
  const removed: string[] = [];
  const failures: unknown[] = [];
  for (const name of planeNames) {
    try {
      if (await removeInterface(os, planes[name].interface)) removed.push(planes[name].interface);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 0) {
    try {
      removed.push(...(await teardownFirewall(os)));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, `Not everything was removed: ${failures.map(String).join("; ")}`);
  }
  return removed;
}
