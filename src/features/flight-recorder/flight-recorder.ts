import { metricsIn } from "../../platform/process/metrics";
import type { Services } from "../../platform/services";
import type { FrameTap, LinkTarget, VehicleLinks } from "../../vehicle";
import { droneOf, linkTargets } from "../drones";
import { LinkRecorder } from "./link-recorder";
import { RecordWriter } from "./record-writer";
import { dronesInFlight } from "./records.store";

export interface RecorderTimings {
  /** With the time between two looks at it, no part is older than a minute when it is written. */
  readonly partMs?: number;
  /** How often the executions in progress are read. */
  readonly pollMs?: number;
  /** How long a part waits until it is written again, while the object store or the database is away. */
  readonly retryMs?: number;
}

/**
 * Records the flights of the drones whose links this process has, and holds the links of drones with an execution in
 * progress. Frames that it cannot write wait in memory; no link waits for it.
 */
export class FlightRecorder {
  private readonly writer: RecordWriter;
  private readonly pollMs: number;
  private readonly links = new Map<LinkRecorder, number>();
  private inFlight = new Map<number, number>();
  /** Drones of which a part was written here since the last record was closed here. */
  private readonly open = new Set<number>();
  private timer: NodeJS.Timeout | undefined;
  private polling = false;
  private isAway = false;

  constructor(
    private readonly deps: Pick<Services, "config" | "db" | "store" | "log" | "registry">,
    private readonly timings: RecorderTimings = {},
  ) {
    this.pollMs = timings.pollMs ?? 5_000;
    const { counter, gaugeOf } = metricsIn(deps.registry);
    const written = counter(
      "fleet_record_bytes_total",
      "Bytes of flight records written to the object store.",
    );
    const lost = counter(
      "fleet_record_lost_bytes_total",
      "Bytes of flight records that were dropped because the object store or the database was away for long.",
    );
    gaugeOf("fleet_record_links", "Links that the flight recorder listens to.", () => this.links.size);
    this.writer = new RecordWriter(deps, {
      retryMs: timings.retryMs,
      onWritten: (bytes) => written.inc(bytes),
      onLost: (bytes) => lost.inc(bytes),
    });
  }

  /** The recorder of a link that is being opened. */
  readonly tap = ({ key }: LinkTarget): FrameTap => {
    const droneId = droneOf(key);
    const recorder = new LinkRecorder({
      partMs: this.timings.partMs ?? 50_000,
      onPart: (part) => {
        this.open.add(droneId);
        this.writer.write(droneId, part);
      },
      onEnd: () => this.close(droneId),
    });
    recorder.executionIs(this.inFlight.get(droneId));
    this.links.set(recorder, droneId);
    return {
      frame: (bytes) => recorder.frame(bytes),
      armed: (armed, heartbeat) => recorder.armed(armed, heartbeat),
      closed: () => {
        recorder.closed();
        this.links.delete(recorder);
      },
    };
  };

  start(links: Pick<VehicleLinks, "hold">): void {
    this.timer = setInterval(() => {
      for (const recorder of this.links.keys()) recorder.tick(Date.now());
      void this.poll(links);
    }, this.pollMs);
  }

  /** Holds no link from now on. */
  drain(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /** To be called when the links are closed. Resolves when their records are written or cannot be. */
  async stop(): Promise<void> {
    this.drain();
    for (const recorder of this.links.keys()) recorder.closed();
    await this.writer.end();
  }

  private async poll(links: Pick<VehicleLinks, "hold">): Promise<void> {
    if (this.polling) return;
    this.polling = true;
    const { db, log } = this.deps;
    try {
      const drones = await dronesInFlight(db);
      this.isAway = false;
      const before = this.inFlight;
      this.inFlight = new Map(drones.map(({ id, execution_id }) => [id, execution_id]));
      for (const [recorder, droneId] of this.links) recorder.executionIs(this.inFlight.get(droneId));
      this.joinEnded(before);
      if (this.timer) await links.hold(linkTargets(this.deps.config, drones));
    } catch (error) {
      // The executions read last hold until the database answers.
      if (!this.isAway) log.warn({ err: error }, "Cannot read which executions to record; retrying");
      this.isAway = true;
    } finally {
      this.polling = false;
    }
  }

  /**
   * Records of executions that are over are joined, also those of lost drones. Another replica that had the link last
   * notices it with its next look, and writes its last part.
   */
  private joinEnded(before: ReadonlyMap<number, number>): void {
    const here = new Set(this.links.values());
    const at = new Date(Date.now() + 2 * this.pollMs);
    for (const droneId of this.open) {
      const isLost = !this.inFlight.has(droneId) && !here.has(droneId);
      if (isLost) this.open.delete(droneId);
      if (isLost || before.get(droneId) !== this.inFlight.get(droneId)) this.writer.joinEnded(droneId, at);
    }
  }

  private close(droneId: number): void {
    this.open.delete(droneId);
    this.writer.close(droneId);
  }
}
