import type { LoadKind } from "./progress";

/**
 * lost:         an acknowledged operation has no effect.
 * duplicated:   an operation was carried out more than once.
 * out of order: a stick or telemetry frame arrived after a newer one.
 * admitted:     a logged-out token was accepted, or a vehicle got bytes from a replaced holder of its link.
 * refused:      a valid token was rejected as invalid.
 * unknown:      the client cannot know whether the operation was carried out.
 * denied:       an operation was reported as failed, and was carried out.
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

/** Types that no fault may cause. */
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
  /** The round in which the operation began. */
  readonly round: number;
  readonly detail: string;
}

/** The number of acknowledged operations, and the findings about them. */
export interface LoadResult {
  readonly acknowledged: number;
  readonly findings: readonly Finding[];
}

/** Operations of one kind, repeated until `stop`. */
export interface Load {
  readonly kind: LoadKind;
  /** Resolves when no operation is under way. */
  stop(): Promise<void>;
  /** Call after `stop`. */
  result(): Promise<LoadResult>;
}

/** The current round of the run: the number of the fault, 0 before the first. */
export interface Round {
  current: number;
}
