import { setTimeout as delay } from "node:timers/promises";
import type { Services } from "../../platform/services";
import { assetFolder } from "../assets";
import type { Part } from "./link-recorder";
import { addBytes, closeRecords, joinEndedRecords, recordFor } from "./records.store";

/** A date: executions may be over, whose records are joined then. */
type Step = Part | "close" | Date;

const isPart = (step: Step): step is Part => step !== "close" && !(step instanceof Date);

/** Of all drones, while the store or the database is away. Then the oldest parts of a drone are lost. */
const MAX_WAITING_BYTES = 64 * 2 ** 20;
/** Three hours of the most that a real autopilot sent (86 kB/s), days at the rates that we ask for. */
const MAX_RECORD_BYTES = 2 ** 30;
const RETRY_MS = 5_000;

interface RecordWriterOptions {
  readonly maxRecordBytes?: number;
  readonly maxWaitingBytes?: number;
  readonly retryMs?: number | undefined;
  readonly onWritten?: (bytes: number) => void;
  readonly onLost?: (bytes: number) => void;
}

/** The folder of a record's parts, whose names sort by their time. */
export const partsFolder = (record: { readonly drone_id: number; readonly id: number }): string =>
  `${assetFolder(record)}parts/`;

/** Writes parts of records into the object store, each drone's in their order, and again until it succeeds. */
export class RecordWriter {
  private readonly queues = new Map<number, Step[]>();
  private readonly running = new Map<number, Promise<void>>();
  /** Drones whose record has reached its bound; nothing more of this flight is written. */
  private readonly full = new Set<number>();
  private waitingBytes = 0;
  private isEnding = false;

  constructor(
    private readonly deps: Pick<Services, "db" | "store" | "log">,
    private readonly options: RecordWriterOptions = {},
  ) {}

  write(droneId: number, part: Part): void {
    this.enqueue(droneId, part);
    this.waitingBytes += part.bytes.length;
    const { maxWaitingBytes = MAX_WAITING_BYTES } = this.options;
    while (this.waitingBytes > maxWaitingBytes && this.dropOldest(droneId));
  }

  /** The flight is over. */
  close(droneId: number): void {
    this.enqueue(droneId, "close");
  }

  /** Executions of the drone may be over: no part of theirs comes after that time. */
  joinEnded(droneId: number, at: Date): void {
    this.enqueue(droneId, at);
  }

  /** Resolves when everything is written or, this time, could not be. */
  async end(): Promise<void> {
    this.isEnding = true;
    while (this.running.size > 0) await Promise.all(this.running.values());
  }

  private enqueue(droneId: number, step: Step): void {
    const queue = this.queues.get(droneId) ?? [];
    this.queues.set(droneId, queue);
    queue.push(step);
    if (!this.running.has(droneId)) this.running.set(droneId, this.work(droneId, queue));
  }

  private async work(droneId: number, queue: Step[]): Promise<void> {
    const { log } = this.deps;
    const { retryMs = RETRY_MS } = this.options;
    for (let failures = 0, step = queue[0]; step !== undefined; step = queue[0]) {
      try {
        await this.carryOut(droneId, step);
        // The first one may have been dropped meanwhile.
        if (queue[0] === step) this.remove(queue, 0);
        failures = 0;
      } catch (error) {
        if (failures++ === 0)
          log.warn({ err: error, drone_id: droneId }, "Cannot write a flight's record; retrying");
        if (this.isEnding) break;
        await delay(retryMs, undefined, { ref: false });
      }
    }
    this.queues.delete(droneId);
    this.running.delete(droneId);
  }

  private async carryOut(droneId: number, step: Step): Promise<void> {
    const { db, store, log } = this.deps;
    if (!isPart(step)) {
      await db.transaction((trx) =>
        step === "close" ? closeRecords(trx, droneId) : joinEndedRecords(trx, droneId, step),
      );
      this.full.delete(droneId);
      return;
    }
    if (this.full.has(droneId)) return;
    const record = await db.transaction((trx) => recordFor(trx, droneId, step));
    if (!record) return;
    await store.write(`${partsFolder(record)}${step.from}`, step.bytes, "application/octet-stream");
    this.options.onWritten?.(step.bytes.length);
    const bytes = await addBytes(db, record.id, step.bytes.length);
    if (bytes < (this.options.maxRecordBytes ?? MAX_RECORD_BYTES)) return;
    log.warn({ drone_id: droneId, asset_id: record.id, bytes }, "A flight's record is full and ends here");
    this.full.add(droneId);
    await db.transaction((trx) => closeRecords(trx, droneId));
  }

  /** Returns whether there was one beside the part that is being written. */
  private dropOldest(droneId: number): boolean {
    const queue = this.queues.get(droneId) ?? [];
    const at = queue.findIndex((step, index) => index > 0 && isPart(step));
    if (at < 0) return false;
    const lost = (queue[at] as Part).bytes.length;
    this.remove(queue, at);
    this.options.onLost?.(lost);
    return true;
  }

  private remove(queue: Step[], at: number): void {
    const [step] = queue.splice(at, 1);
    if (step && isPart(step)) this.waitingBytes -= step.bytes.length;
  }
}
