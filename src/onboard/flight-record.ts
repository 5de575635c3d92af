import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../platform/process/log";
import { contentOf, findLog } from "./flight-log";
import { type AnnouncedLog, type DroneGateway, RequestRefused, type Upload } from "./gateway";

/**
 * armed:     the vehicle armed; the gateway does not know yet.
 * recorded:  an execution is in progress.
 * landed:    the vehicle disarmed; its log is announced, so that the report waits for it.
 * completed: the execution is completed; the log is uploaded.
 * done.
 */
interface Flight {
  readonly armedAt: number;
  disarmed: boolean;
  executionId?: number;
  log?: { readonly file: string; readonly announced: AnnouncedLog } | "none";
  /** Where to upload the log; dropped after a failure, since the URL expires. */
  upload?: Upload | undefined;
  completed?: boolean;
  /** How often the uploaded log was not the announced one. */
  mismatches?: number;
}

/** A log that is written to without end would be uploaded again and again. */
const MAX_MISMATCHES = 3;

interface FlightRecordOptions {
  readonly gateway: DroneGateway;
  readonly logFolder: string | undefined;
  readonly log: Logger;
  /** Pause before a failed request is repeated. */
  readonly retryMs?: number;
}

/**
 * Records every flight at the gateway, from arming to disarming, and uploads its log. Failed requests are repeated, one
 * flight after the other; a flight that the gateway refuses is logged and dropped.
 */
export class FlightRecord {
  private readonly flights: Flight[] = [];
  private readonly ended = new AbortController();
  private armed: boolean | undefined;
  private working = false;

  constructor(private readonly options: FlightRecordOptions) {}

  /** Flights that are not recorded yet, with the one in the air. */
  get open(): number {
    return this.flights.length;
  }

  /** Call it at each heartbeat; undefined while the link is lost, which ends no flight. */
  observe(armed: boolean | undefined): void {
    if (armed === undefined || armed === this.armed) return;
    const first = this.armed === undefined;
    this.armed = armed;
    if (armed) this.flights.push({ armedAt: Date.now(), disarmed: false });
    else if (first) void this.closeAbandoned();
    const [flight] = this.flights.slice(-1);
    if (!armed && flight) flight.disarmed = true;
    void this.work();
  }

  stop(): void {
    this.ended.abort();
  }

  private async work(): Promise<void> {
    if (this.working) return;
    this.working = true;
    const { log, retryMs = 3_000 } = this.options;
    for (let flight = this.flights[0]; flight && !this.ended.signal.aborted; flight = this.flights[0]) {
      try {
        await this.advance(flight);
        // In the air, there is nothing more to do.
        if (!flight.disarmed) break;
        this.flights.shift();
      } catch (error) {
        if (error instanceof RequestRefused) {
          log.error({ err: error }, "The gateway refused a flight");
          this.flights.shift();
          continue;
        }
        log.warn({ err: error }, "Cannot record a flight; retrying");
        await delay(retryMs, undefined, { signal: this.ended.signal }).catch(() => undefined);
      }
    }
    this.working = false;
  }

  /** Does the next steps of the flight, and remembers those that are done. */
  private async advance(flight: Flight): Promise<void> {
    const { gateway, log } = this.options;
    flight.executionId ??= await gateway.start();
    const { executionId } = flight;
    if (!flight.disarmed) return;
    flight.log ??= await this.announce(flight, executionId);
    if (!flight.completed) await gateway.complete(executionId, "completed");
    flight.completed = true;
    if (flight.log !== "none") await this.uploadLog(flight, executionId, flight.log);
    log.info({ executionId, log: flight.log !== "none" }, "Recorded a flight");
  }

  /** A log that the gateway refuses (it may have it already) does not prevent the flight's completion. */
  private async announce(flight: Flight, executionId: number): Promise<NonNullable<Flight["log"]>> {
    const { gateway, logFolder, log } = this.options;
    if (!logFolder) return "none";
    try {
      const file = await findLog(logFolder, flight.armedAt - 1_000);
      if (!file) {
        log.warn({ logFolder }, "Found no log of the flight");
        return "none";
      }
      const announced = { file_name: basename(file), ...(await contentOf(file)) };
      flight.upload = await gateway.announceLog(executionId, announced);
      return { file, announced };
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code !== undefined;
      if (!missing && !(error instanceof RequestRefused)) throw error;
      log.error({ err: error }, "Cannot announce the log of the flight");
      return "none";
    }
  }

  private async uploadLog(
    flight: Flight,
    executionId: number,
    { file, announced }: Exclude<NonNullable<Flight["log"]>, "none">,
  ): Promise<void> {
    const { gateway } = this.options;
    const { url, assetId } = flight.upload ?? (await gateway.uploadOf(executionId, announced));
    flight.upload = undefined;
    await gateway.upload(url, file, announced.size);
    try {
      await gateway.completeUpload(assetId);
    } catch (error) {
      const mismatches = (flight.mismatches ?? 0) + 1;
      const differs = error instanceof RequestRefused && error.status === 400;
      if (!differs || mismatches > MAX_MISMATCHES) throw error;
      flight.mismatches = mismatches;
      flight.log = undefined;
      throw new Error("The log was written to during its upload; it is announced again.", { cause: error });
    }
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
