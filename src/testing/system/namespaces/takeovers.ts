import { until as untilWithin } from "../../until";
import { droneEchoes, type HubPair, PAIR_LEASE } from "./hub-pair";
import type { PairedHub } from "./paired-hub";

/** How long an idle client may be away after a hub's end; by itself it would notice after up to two minutes. */
const BACK_WITHIN_MS = 8_000;

/** A look at a hub runs programs on its node. */
export const until = <T>(look: () => Promise<T> | T, limitMs?: number) => untilWithin(look, limitMs, 100);

/** With its peers in place. */
export const standsBy = async (hub: PairedHub) =>
  (await hub.readiness()) === "standby" && (await hub.handshakes()).length === 2;

/** Which of two hubs serves, and how long the clients are away when the other takes over. */
export class Takeovers {
  constructor(
    private readonly pair: HubPair,
    private readonly leaseMs: number,
  ) {}

  get holder(): string | undefined {
    return this.pair.leases.holder(PAIR_LEASE);
  }

  get serving(): PairedHub {
    return this.pair.hubs[this.holder === "a" ? 0 : 1];
  }

  get standby(): PairedHub {
    return this.pair.hubs[this.holder === "a" ? 1 : 0];
  }

  /** Whatever became of the hubs before: one serves, the other stands by and knows where clients are. */
  async settle(): Promise<void> {
    const { pair } = this;
    pair.leases.mend();
    for (const hub of pair.hubs) {
      for (const link of Object.values(hub.links)) link.mend();
      if (!hub.isRunning) await hub.start();
    }
    await until(() => this.holder !== undefined && pair.address.target === this.serving);
    await until(() => standsBy(this.standby));
    await until(() => droneEchoes(pair));
    await until(() => pair.areEndpointsSaved());
  }

  /** Resolves when the hub has taken the lease; the one before serves no more then. */
  async taken(from: PairedHub, to: PairedHub): Promise<number> {
    await until(() => this.holder === to.name, 4 * this.leaseMs);
    const takenAt = Date.now();
    expect(await from.upPlanes()).toEqual([]);
    return takenAt;
  }

  /** Both clients, which say nothing by themselves, have shaken hands with the hub; then a byte of theirs passes. */
  async clientsAreBack(at: PairedHub, takenAt: number): Promise<number> {
    await until(async () => {
      const shaken = await at.handshakes();
      return shaken.length === 2 && shaken.every((second) => second >= Math.floor(takenAt / 1000));
    }, 2 * BACK_WITHIN_MS);
    await until(() => droneEchoes(this.pair));
    return Date.now();
  }

  /** To be called when the one before ends. Resolves with the milliseconds until the next had the lease, and until the clients were back. */
  async measure(from: PairedHub, to: PairedHub): Promise<{ takenMs: number; backMs: number }> {
    const { address } = this.pair;
    const endedAt = Date.now();
    const takenAt = await this.taken(from, to);
    await until(() => address.target === to);
    const backAt = await this.clientsAreBack(to, takenAt);
    const { movedAt } = address;
    const move = movedAt > takenAt ? `${backAt - movedAt} ms after the address had moved` : "without a move";
    process.stdout.write(
      `hub ${from.name} → ${to.name}: idle clients echo ${backAt - endedAt} ms after the end of the one before: ` +
        `lease taken after ${takenAt - endedAt} ms, echo ${backAt - takenAt} ms later, ${move}\n`,
    );
    expect(backAt - endedAt).toBeLessThan(BACK_WITHIN_MS);
    return { takenMs: takenAt - endedAt, backMs: backAt - endedAt };
  }
}
