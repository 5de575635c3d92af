import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "../../../../platform/postgres/db";
import { until } from "../../../until";
import { FleetRows } from "../../../worlds/start-tunnel";
import { sha256 } from "../../../worlds/uploads";
import type { Finding, Load, LoadResult, Round } from "../findings";
import type { Progress } from "../progress";
import { type Answer, ask, isStatus } from "./client";
import { finished, type Repetition, repeatEvery } from "./repeat";

/** The hub with the lease. */
const HUB = "the hub that serves";
const EVERY_MS = 500;
const LOOK_MS = 100;
/** On a busy machine a hub may lose its lease at any time, and the other takes it. */
const SERVED_WITHIN_MS = 15_000;

interface PeerLoadOptions {
  /** The hubs' status APIs. */
  readonly tunnels: readonly string[];
  readonly secret: string;
  readonly storeUrl: string;
  readonly db: Db;
  readonly round: Round;
  readonly progress: Progress;
}

interface Peer {
  readonly round: number;
  readonly id: number;
  readonly ip: string;
  /** The digest of its first config, which contains the key. */
  config: string | undefined;
}

/** Creates users one after the other, and waits until each has a key, a config and a peer. */
export class PeerLoad implements Load {
  readonly kind = "peers";
  private readonly peers: Peer[] = [];
  private readonly repetition: Repetition;
  private current: Peer | undefined;
  private stopping = false;
  private addresses = 0;

  constructor(private readonly options: PeerLoadOptions) {
    options.progress.expect("peers", HUB);
    this.repetition = repeatEvery(LOOK_MS, () => this.next().catch(() => undefined));
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const hasConfigs = () => this.peers.every(({ config }) => config !== undefined);
    await finished("every peer's config", hasConfigs);
    await this.repetition.stop();
  }

  private async next(): Promise<void> {
    if (this.current?.config !== undefined) {
      await delay(EVERY_MS);
      this.current = undefined;
    }
    if (this.stopping && !this.current) return;
    this.current ??= await this.newPeer();
    await this.look(this.current);
  }

  private async newPeer(): Promise<Peer> {
    const { db, round } = this.options;
    const at = this.addresses++;
    const ip = `10.70.${100 + Math.floor(at / 200)}.${(at % 200) + 2}`;
    const peer: Peer = { ...(await new FleetRows(db).user(ip)), round: round.current, config: undefined };
    this.peers.push(peer);
    return peer;
  }

  private async look(peer: Peer): Promise<void> {
    if (!(await this.isServed(peer))) return;
    peer.config = await this.configOf(peer);
    if (peer.config !== undefined) this.options.progress.success("peers", HUB);
  }

  /** Whether the hub that serves has the peer; a standby knows peers too. */
  private async isServed({ ip }: Peer): Promise<boolean> {
    const headers = { authorization: `Bearer ${this.options.secret}` };
    const served = this.options.tunnels.map(async (tunnel) => {
      const [readiness, status] = await Promise.all(
        ["/readyz", `/status/user/${ip}`].map((path) => ask(`${tunnel}${path}`, { method: "GET", headers })),
      );
      if (![readiness, status].every((one) => isStatus(one as Answer, 200)))
        throw new Error("not by this one");
    });
    // One that is paused answers late.
    return Promise.any(served).then(
      () => true,
      () => false,
    );
  }

  /** The laptop's store lets anyone read. */
  private async configOf({ id }: Peer): Promise<string | undefined> {
    const answer = await ask(`${this.options.storeUrl}/fleet-vpn/vpn/users/${id}.conf`, { method: "GET" });
    return isStatus(answer, 200) ? sha256(answer.body) : undefined;
  }

  async result(): Promise<LoadResult> {
    const findings: Finding[] = [];
    for (const peer of this.peers) {
      const isServed = await until(() => this.isServed(peer), SERVED_WITHIN_MS).catch(() => false);
      const config = await this.configOf(peer);
      const finding = { load: "peers", round: peer.round } as const;
      if (!isServed || config === undefined || peer.config === undefined)
        findings.push({ ...finding, type: "lost", detail: `user ${peer.id} has no peer or no config` });
      else if (config !== peer.config)
        findings.push({ ...finding, type: "duplicated", detail: `user ${peer.id} was given a second key` });
    }
    return { acknowledged: this.peers.length, findings };
  }
}
