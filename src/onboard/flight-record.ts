import { basename } from "node:path";
import type { Logger } from "../platform/process/log";
import { checksumOf, DEFAULT_WAITS, findLog, type LogPrefix, type LogWaits } from "./flight-log";
import { type AnnouncedLog, type DroneGateway, RequestRefused, type Upload } from "./gateway";
import { RetryQueue } from "./retry-queue";

interface FoundLog {
  readonly prefix: LogPrefix;
  readonly announced: AnnouncedLog;
  /** Where to upload it; dropped after a failure, since the URL expires. */
  upload: Upload | undefined;
}

/**
 * armed:     the vehicle armed; the gateway does not know yet.
 * recorded:  an execution is in progress.
 * landed:    the vehicle disarmed; its log is announced, so that the report waits for it.
 * completed: the execution is completed; the log is uploaded.
 * done.
 */
interface Flight {
  /** Of the first and the last heartbeat that said so; milliseconds since 1970. */
  readonly armedAt: number;
  lastArmedAt: number;
  disarmedAt?: number;
  executionId?: number;
  log?: FoundLog | "none";
}

interface LogUpload {
  readonly flight: Flight;
  readonly executionId: number;
  log: FoundLog;
  /** The asset whose content is in the store; its completion may have failed. */
  sent?: number | undefined;
  /** How often the uploaded log was not the announced one. */
  mismatches: number;
}

/** A log whose bytes change would be uploaded again and again. */
const MAX_MISMATCHES = 3;

interface FlightRecordOptions {
  readonly gateway: DroneGateway;
  readonly logFolder: string | undefined;
  readonly log: Logger;
  /** Pause before a failed request is repeated. */
  readonly retryMs?: number;
  readonly waits?: LogWaits;
}

/**
 * Records every flight at the gateway, from arming to disarming, and uploads its log. Failed requests are repeated, one
 * flight after the other; a flight that the gateway refuses is logged and dropped. No flight waits for another's upload.
 */
export class FlightRecord {
  private readonly ended = new AbortController();
  private readonly flights: RetryQueue<Flight>;
  private readonly uploads: RetryQueue<LogUpload>;
  private armed: boolean | undefined;

  constructor(private readonly options: FlightRecordOptions) {
    const { log, retryMs = 3_000 } = options;
    const common = { log, retryMs, ended: this.ended.signal };
    this.flights = new RetryQueue({ ...common, what: "record a flight", work: (one) => this.record(one) });
    this.uploads = new RetryQueue({ ...common, what: "take a log", work: (one) => this.uploadLog(one) });
  }

  /** Flights that are not recorded yet, with the one in the air. */
  get open(): number {
    return this.flights.size + this.uploads.size;
  }

  /** Call it at each heartbeat; undefined while the link is lost, which ends no flight. */
  observe(armed: boolean | undefined): void {
    if (armed === undefined) return;
    const now = Date.now();
    const isNew = armed !== this.armed;
    const isFirst = this.armed === undefined;
    this.armed = armed;
    if (armed && isNew) this.flights.add({ armedAt: now, lastArmedAt: now });
    const flight = this.flights.last;
    if (armed && flight) flight.lastArmedAt = now;
    if (armed || !isNew) return;
    if (isFirst) void this.closeAbandoned();
    if (flight) flight.disarmedAt ??= now;
    void this.flights.wake();
  }

  stop(): void {
    this.ended.abort();
  }

  /** Does the next steps of the flight, and remembers those that are done. In the air, there is nothing more to do. */
  private async record(flight: Flight): Promise<boolean> {
    const { gateway, log } = this.options;
    flight.executionId ??= await gateway.start();
    const { executionId } = flight;
    if (flight.disarmedAt === undefined) return false;
    flight.log ??= await this.announce(flight, executionId);
    await gateway.complete(executionId, "completed");
    log.info({ executionId, log: flight.log !== "none" }, "Recorded a flight");
    if (flight.log !== "none") this.uploads.add({ flight, executionId, log: flight.log, mismatches: 0 });
    return true;
  }

  /** A log that the gateway refuses (it may have it already) does not prevent the flight's completion. */
  private async announce(flight: Flight, executionId: number): Promise<FoundLog | "none"> {
    const { gateway, logFolder, log, waits = DEFAULT_WAITS } = this.options;
    if (!logFolder) return "none";
    try {
      const { armedAt, lastArmedAt, disarmedAt = lastArmedAt } = flight;
      const isFollowed = () => this.flights.last !== flight;
      const times = { armedAt, lastArmedAt, disarmedAt, isFollowed };
      const prefix = await findLog(logFolder, times, waits, this.ended.signal);
      if (!prefix) {
        log.warn({ logFolder }, "Found no log of the flight");
        return "none";
      }
      const checksum = await checksumOf(prefix);
      const announced = { file_name: basename(prefix.file), checksum, size: prefix.size };
      return { prefix, announced, upload: await gateway.announceLog(executionId, announced) };
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code !== undefined && !this.ended.signal.aborted;
      if (!missing && !(error instanceof RequestRefused)) throw error;
      log.error({ err: error }, "Cannot announce the log of the flight");
      return "none";
    }
  }

  private async uploadLog(upload: LogUpload): Promise<boolean> {
    const { gateway, log } = this.options;
    const { executionId, log: found, flight } = upload;
    upload.sent ??= await this.send(executionId, found);
    try {
      await gateway.completeUpload(upload.sent);
    } catch (error) {
      const differs = error instanceof RequestRefused && error.status === 400;
      if (!differs || ++upload.mismatches > MAX_MISMATCHES) throw error;
      upload.sent = undefined;
      const again = await this.announce(flight, executionId);
      if (again === "none") throw error;
      upload.log = again;
      throw new Error("The log changed before its upload; it is announced again.", { cause: error });
    }
    log.info({ executionId, log: found.announced.file_name }, "Uploaded a log");
    return true;
  }

  private async send(executionId: number, found: FoundLog): Promise<number> {
    const { gateway } = this.options;
    const { url, assetId } = found.upload ?? (await gateway.uploadOf(executionId, found.announced));
    found.upload = undefined;
    await gateway.upload(url, found.prefix);
    return assetId;
  }

  /** Completes a flight that ended while the agent was not running. */
  private async closeAbandoned(): Promise<void> {
    const { gateway, log } = this.options;
    try {
      const left = await gateway.current();
      if (left !== undefined && !this.armed) {
        await gateway.complete(left, "error", "The agent on board was restarted during the flight.");
      }
    } catch (error) {
      log.warn({ err: error }, "Cannot check for an abandoned flight");
    }
  }
}
