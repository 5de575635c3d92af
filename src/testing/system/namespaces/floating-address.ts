import { atEndOfFile } from "../../clean-up";
import { HUB_ADDRESS } from "./hub-testbed";
import type { Namespace } from "./namespace";
import type { PairedHub } from "./paired-hub";

/** The public address, routed to the hub that is ready, as by a load balancer or keepalived. */
export class FloatingAddress {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private at: PairedHub | undefined;
  /** Milliseconds since the epoch. */
  movedAt = 0;

  constructor(
    private readonly wan: Namespace,
    private readonly hubs: readonly PairedHub[],
    /** How often it asks for the hubs' readiness, as a load balancer does. */
    private readonly everyMs: number,
  ) {
    atEndOfFile(async () => this.stop());
    this.watch();
  }

  get target(): PairedHub | undefined {
    return this.at;
  }

  /** Routes the address to this hub, ready or not. */
  async routeTo(hub: PairedHub): Promise<void> {
    await this.wan.shell(`ip route replace ${HUB_ADDRESS}/32 via ${hub.address}`);
  }

  private stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private watch(): void {
    this.timer = setTimeout(() => {
      void this.look()
        .catch(() => {})
        .finally(() => this.stopped || this.watch());
    }, this.everyMs);
  }

  private async look(): Promise<void> {
    const states = await Promise.all(this.hubs.map((hub) => hub.readiness()));
    const ready = this.hubs.filter((_, index) => states[index] === "ready");
    const [next] = ready;
    if (ready.length !== 1 || !next || next === this.at) return;
    await this.routeTo(next);
    this.at = next;
    this.movedAt = Date.now();
  }
}
