import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../platform/process/log";
import { checksumOf, findLog } from "./flight-log";
import { type AnnouncedLog, type DroneGateway, Refused, type Upload } from "./gateway";

/**
 * announced: the vehicle armed, the gateway does not know yet.
 * recorded:  an execution is in progress.
 * landed:    the vehicle disarmed; its log is announced, so that the report waits for it.
 * completed: the execution is over; the log goes up.
 * done.
 */
interface Flight {
  readonly armedAt: number;
  disarmed: boolean;
  executionId?: number;
  log?: { readonly file: string; readonly announced: AnnouncedLog } | "none";
  /** Where the log goes; forgotten when it did not work, for a URL has its time. */
  upload?: Upload | undefined;
  completed?: boolean;
  /** How often what arrived was not what had been announced. */
  misses?: number;
}

/** A logger that never ends would have its log brought again for ever. */
const MOST_MISSES = 3;

export interface FlightRecordOptions {
  readonly gateway: DroneGateway;
  readonly logFolder: string | undefined;
  readonly log: Logger;
  /** Between two tries of what did not work. */
  readonly retryMs?: number;
}

/**
 * Tells the gateway of every flight, from arming to disarming, and brings it the flight log. What does not work
 * is tried again, one flight after the other; what the gateway refuses is logged and left.
 */
export class FlightRecord {
  private readonly flights: Flight[] = [];
  private readonly ended = new AbortController();
  private armed: boolean | undefined;
  private working = false;

  constructor(private readonly options: FlightRecordOptions) {}

  /** Flights that are not on record yet, with the one in the air. */
  get open(): number {
    return this.flights.length;
  }

  /** With each heartbeat; undefined while the vehicle is not heard, which ends no flight. */
  observe(armed: boolean | undefined): void {
    if (armed === undefined || armed === this.armed) return;
    const first = this.armed === undefined;
    this.armed = armed;
    if (armed) this.flights.push({ armedAt: Date.now(), disarmed: false });
    else if (first) void this.closeLeftover();
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
        if (error instanceof Refused) {
          log.error({ err: error }, "the gateway does not take this flight");
          this.flights.shift();
          continue;
        }
        log.warn({ err: error }, "a flight is not recorded yet; trying again");
        await delay(retryMs, undefined, { signal: this.ended.signal }).catch(() => undefined);
      }
    }
    this.working = false;
  }

  /** As far as it goes now; what is done is remembered in the flight. */
  private async advance(flight: Flight): Promise<void> {
    const { gateway, log } = this.options;
    flight.executionId ??= await gateway.start();
    const { executionId } = flight;
    if (!flight.disarmed) return;
    flight.log ??= await this.announce(flight, executionId);
    if (!flight.completed) await gateway.complete(executionId, "completed");
    flight.completed = true;
    if (flight.log !== "none") await this.bring(flight, executionId, flight.log);
    log.info({ executionId, log: flight.log !== "none" }, "the flight is on record");
  }

  /** A log that the gateway refuses (it may have it already) does not keep the flight from being completed. */
  private async announce(flight: Flight, executionId: number): Promise<NonNullable<Flight["log"]>> {
    const { gateway, logFolder, log } = this.options;
    if (!logFolder) return "none";
    try {
      const file = await findLog(logFolder, flight.armedAt - 1_000);
      if (!file) {
        log.warn({ logFolder }, "there is no log of this flight");
        return "none";
      }
      const announced = { file_name: basename(file), checksum: await checksumOf(file) };
      flight.upload = await gateway.announceLog(executionId, announced);
      return { file, announced };
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code !== undefined;
      if (!missing && !(error instanceof Refused)) throw error;
      log.error({ err: error }, "the log of this flight cannot be brought to the gateway");
      return "none";
    }
  }

  private async bring(
    flight: Flight,
    executionId: number,
    { file, announced }: Exclude<NonNullable<Flight["log"]>, "none">,
  ): Promise<void> {
    const { gateway } = this.options;
    const { url, assetId } = flight.upload ?? (await gateway.uploadOf(executionId, announced));
    flight.upload = undefined;
    await gateway.upload(url, file);
    try {
      await gateway.uploaded(assetId);
    } catch (error) {
      const misses = (flight.misses ?? 0) + 1;
      const differs = error instanceof Refused && error.status === 400;
      if (!differs || misses > MOST_MISSES) throw error;
      flight.misses = misses;
      flight.log = undefined;
      throw new Error("The log was written to while it was brought; it is announced anew.", { cause: error });
    }
  }

  /** This program ended in the air, and the flight ended without it. */
  private async closeLeftover(): Promise<void> {
    const { gateway, log } = this.options;
    try {
      const left = await gateway.current();
      if (left !== undefined && !this.armed) {
        await gateway.complete(left, "error", "The agent on board was restarted during the flight.");
      }
    } catch (error) {
      log.warn({ err: error }, "whether a flight was left open cannot be asked");
    }
  }
}
