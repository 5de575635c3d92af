import { atEndOfFile } from "../../clean-up";

interface FloatingAddressOptions<Hub> {
  readonly serves: (hub: Hub) => Promise<boolean>;
  /** Routes the address to this hub, ready or not. */
  readonly routeTo: (hub: Hub) => Promise<unknown>;
  /** How often it asks which hub serves, as a load balancer does. */
  readonly everyMs: number;
}

/** The public address, routed to the hub that is ready, as by a load balancer or keepalived. Until the end of the file. */
export class FloatingAddress<Hub> {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private at: Hub | undefined;
  /** Milliseconds since the epoch. */
  movedAt = 0;

  constructor(
    private readonly hubs: readonly Hub[],
    private readonly options: FloatingAddressOptions<Hub>,
  ) {
    atEndOfFile(async () => this.stop());
    this.watch();
  }

  get target(): Hub | undefined {
    return this.at;
  }

  routeTo(hub: Hub): Promise<unknown> {
    return this.options.routeTo(hub);
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
    }, this.options.everyMs);
  }

  private async look(): Promise<void> {
    const serve = await Promise.all(this.hubs.map(this.options.serves));
    const ready = this.hubs.filter((_, index) => serve[index]);
    const [next] = ready;
    if (ready.length !== 1 || !next || next === this.at) return;
    await this.routeTo(next);
    this.at = next;
    this.movedAt = Date.now();
  }
}
