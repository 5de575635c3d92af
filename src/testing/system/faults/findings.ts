import type { LoadKind } from "./progress";

/**
 * lost:         was acknowledged, and is not there.
 * duplicated:   was done more than once.
 * out of order: a stick frame, or one of telemetry, after a younger one.
 * admitted:     a token that had been logged out was let in, or a link's replaced holder was heard by the vehicle.
 * refused:      a good token was turned away as none.
 * unknown:      the client was told, or had to conclude, that it may have been done or not.
 * denied:       was told to have failed, and was done.
 */
export const FINDING_TYPES = [
  "lost",
  "duplicated",
  "out of order",
  "admitted",
  "refused",
  "unknown",
  "denied",
] as const;
export type FindingType = (typeof FINDING_TYPES)[number];

/** Those of which there are none, whatever fails. */
export const FORBIDDEN_FINDINGS: readonly FindingType[] = [
  "lost",
  "duplicated",
  "out of order",
  "admitted",
  "refused",
  "denied",
];

export interface Finding {
  readonly load: LoadKind;
  readonly type: FindingType;
  /** The round that it was begun in. */
  readonly round: number;
  readonly detail: string;
}

/** How many were acknowledged, and what was wrong with any. */
export interface LoadResult {
  readonly acknowledged: number;
  readonly findings: readonly Finding[];
}

/** A load of one kind, which goes on until it is stopped. */
export interface Load {
  readonly kind: LoadKind;
  /** Resolves when nothing of it is under way any more. */
  stop(): Promise<void>;
  /** After the stop. */
  result(): Promise<LoadResult>;
}

/** What loads are told: which round of the run it is, and whom they tell of their successes. */
export interface Round {
  current: number;
}
