/** The lease as the API server has it, without times: clocks of nodes are not compared. */
export interface LeaseRecord {
  /** Empty without a holder. */
  readonly holder: string;
  /** How long others wait after its last change before they take it. */
  readonly durationSeconds: number;
  /** How often it has changed hands. */
  readonly transitions: number;
  /** Changes with every write, by any client. */
  readonly version: string;
}

export type LeaseUpdate = Omit<LeaseRecord, "version">;

/** Another client changed the lease since it was read. */
export class LeaseConflict extends Error {
  constructor(options?: { cause?: unknown }) {
    super("Another client changed the lease.", options);
    this.name = "LeaseConflict";
  }
}

/** Where candidates meet. A write counts only against the version that it names. */
export interface LeaseStore {
  /** Slow preparations in this process, before the time limits of requests begin. */
  open?(): Promise<void>;
  /** Undefined when there is none. Rejects when it cannot be read. */
  read(): Promise<LeaseRecord | undefined>;
  /** Rejects with a `LeaseConflict` when `before` is not what is there; undefined stands for no lease. */
  write(update: LeaseUpdate, before: LeaseRecord | undefined): Promise<LeaseRecord>;
}

/** Milliseconds of the machine's monotonic clock, which all its processes share. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;
