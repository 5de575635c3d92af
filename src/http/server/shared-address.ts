import type { Clock } from "../../platform/process/clock";
import type { Logger } from "../../platform/process/log";
import { metricsIn, type Registry } from "../../platform/process/metrics";

const WINDOW_MS = 5 * 60_000;
/** Fewer may well sit in one office. */
const MIN_USERS = 5;

const ADVICE =
  "Requests of all users come from one address: limits that count by address count all users together. If it is a proxy's, add it to TRUSTED_PROXIES.";

/** Detects a proxy that is not in `TRUSTED_PROXIES`: the requests of many users and no other come from one address. */
export class SharedAddressWatch {
  private began: number;
  private address: string | undefined;
  private hasSeveral = false;
  private readonly users = new Set<number>();
  private isShared = false;
  private hasWarned = false;

  constructor(
    private readonly log: Logger,
    registry: Registry,
    private readonly clock: Clock,
  ) {
    this.began = clock.now().getTime();
    const help =
      "1: in the last five minutes the requests of five or more users came from one address, and no requests came from another.";
    metricsIn(registry).gaugeOf("fleet_shared_client_address", help, () => {
      this.closeWindow();
      return this.isShared ? 1 : 0;
    });
  }

  /** A request of this user came from this address. */
  add(user: number, address: string): void {
    this.closeWindow();
    this.address ??= address;
    if (address !== this.address) this.hasSeveral = true;
    else if (this.users.size < MIN_USERS) this.users.add(user);
  }

  private closeWindow(): void {
    const now = this.clock.now().getTime();
    if (now - this.began < WINDOW_MS) return;
    this.isShared = !this.hasSeveral && this.users.size >= MIN_USERS;
    if (this.isShared && !this.hasWarned) this.log.warn({ address: this.address }, ADVICE);
    this.hasWarned ||= this.isShared;
    this.began = now;
    this.address = undefined;
    this.hasSeveral = false;
    this.users.clear();
  }
}
