import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import { atEndOfFile } from "../../src/testing";
import { FloatingAddress } from "../../src/testing/system/namespaces/floating-address";
import { until } from "../../src/testing/until";
import { core, isReady, podsOf } from "./release";

const run = promisify(execFile);
const LABEL = "fleet-gateway/tunnel";
/** As often as a load balancer asks. */
const ASK_MS = 1_000;

/**
 * Two nodes for hubs, and the address that clients know, which follows the hub that serves. FLEET_SECOND_HUB names the
 * second node, FLEET_HUB_LEAD a command that leads the address to the node with the address that it is given.
 */
export class HubPair {
  private constructor(
    private readonly second: string,
    private readonly lead: string,
  ) {}

  /** Undefined where a second hub has no node. */
  static fromEnvironment(): HubPair | undefined {
    const { FLEET_SECOND_HUB: second, FLEET_HUB_LEAD: lead } = process.env;
    return second && lead ? new HubPair(second, lead) : undefined;
  }

  /** The second node is for a hub, until the end of the file. */
  async join(): Promise<void> {
    await this.label("true");
    atEndOfFile(() => this.label(null));
  }

  /** The node of the hub that serves. */
  async serving(): Promise<string> {
    return until(async () => {
      const [pod, ...others] = (await podsOf("active-hub")).filter(isReady);
      return others.length === 0 && (pod?.spec?.nodeName ?? false);
    });
  }

  /** From now on the address follows the hub that serves, until the end of the file. */
  async follow(): Promise<void> {
    const { items } = await core.listNode({ labelSelector: `${LABEL}=true` });
    const addresses = items.map(
      ({ status }) => status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "",
    );
    const routeTo = (address = "") => run(this.lead, [address]);
    // Before it follows, since the last is stopped first.
    atEndOfFile(() => routeTo(addresses[0]));
    new FloatingAddress(addresses, { serves, routeTo, everyMs: ASK_MS });
  }

  private async label(value: string | null): Promise<void> {
    const body = { metadata: { labels: { [LABEL]: value } } };
    await core.patchNode(
      { name: this.second, body },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
  }
}

async function serves(address: string): Promise<boolean> {
  const signal = AbortSignal.timeout(ASK_MS);
  return fetch(`http://${address}:5050/readyz`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}
