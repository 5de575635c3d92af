/** The lease as the API server has it. No time of anybody's clock is in here: clocks of nodes are not compared. */
export interface LeaseRecord {
  /** Empty when nobody has it. */
  readonly holder: string;
  /** How long others wait after its last change before they take it. */
  readonly durationSeconds: number;
  /** How often it has changed hands. */
  readonly transitions: number;
  /** Another with every change, whoever made it. */
  readonly version: string;
}

export type LeaseUpdate = Omit<LeaseRecord, "version">;

/** Somebody else changed the lease since it was read. */
export class LeaseConflict extends Error {
  constructor(options?: { cause?: unknown }) {
    super("Another client changed the lease.", options);
    this.name = "LeaseConflict";
  }
}

/** Where candidates meet. A write counts only against the version that it names. */
export interface LeaseStore {
  /** What takes long for reasons of this process's own, before anybody counts how long the others take to answer. */
  open?(): Promise<void>;
  /** Undefined when there is none. Rejects when it cannot be read. */
  read(): Promise<LeaseRecord | undefined>;
  /** Rejects with a `LeaseConflict` when `before` is not what is there; undefined stands for no lease. */
  write(update: LeaseUpdate, before: LeaseRecord | undefined): Promise<LeaseRecord>;
}

/** Milliseconds of a clock that nobody sets; every process of the machine reads the same. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;
