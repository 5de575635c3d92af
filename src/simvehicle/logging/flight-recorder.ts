import type { Flight } from "../flight";
import type { Severity } from "../reports";
import type { BlockFile } from "./block-file";

/** Logs a vehicle's flights into files. The recorders of both autopilots begin with this. */
export abstract class FlightRecorder<LogFile extends BlockFile = BlockFile> {
  protected file: LogFile | undefined;
  private broken = false;

  /** `complain` gets the reason when logging ends. */
  constructor(
    protected readonly flight: Flight,
    protected readonly folder: string,
    private readonly complain: (text: string) => void,
  ) {}

  /** After each step of the flight; `now` is the wall clock in milliseconds. */
  step(now: number): void {
    this.guarded(() => this.record(now));
  }

  /** A status text of the vehicle. */
  text(severity: Severity, text: string): void {
    this.guarded(() => {
      if (this.file) this.recordText(this.file, severity, text);
    });
  }

  /** The vehicle is switched off. */
  stop(): void {
    this.guarded(() => this.end());
  }

  protected abstract record(now: number): void;
  protected abstract recordText(file: LogFile, severity: Severity, text: string): void;

  /** The vehicle's own time in microseconds. */
  protected get time(): number {
    return Math.round(this.flight.time * 1e6);
  }

  protected end(): void {
    const { file } = this;
    this.file = undefined;
    file?.close();
  }

  /** A full disk costs the log and not the flight. */
  private guarded(write: () => void): void {
    if (this.broken) return;
    try {
      write();
    } catch (error) {
      this.broken = true;
      this.file = undefined;
      this.complain(`Logging failed: ${(error as NodeJS.ErrnoException).code ?? "unknown"}`);
    }
  }
}
