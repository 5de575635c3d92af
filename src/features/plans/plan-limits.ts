import { DomainError } from "../../domain/errors";
import type { PointCounts } from "./plans.store";

/** UTF-16 units of a point's label. */
export const LABEL_LENGTH = 200;

/** A whole plan as one batch: 2,000 points with all columns and labels of full length. */
export const BATCH_BYTES = 1_048_576;

/**
 * The plans of one kind that one user may have. `GET /missions` returns all of it in one reply, some 10 MB at most. What
 * was stored before there were limits can still be read and deleted.
 */
export const PLAN_LIMITS: PlanLimits = { plans: 1_000, pointsOfPlan: 2_000, points: 20_000 };

export interface PlanLimits {
  readonly plans: number;
  readonly pointsOfPlan: number;
  /** Of all plans together. */
  readonly points: number;
}

/** Throws `invalid_input` beyond the limits of one kind of plan; `word` names the kind in messages. */
export class PlanLimiter {
  constructor(
    private readonly limits: PlanLimits,
    private readonly word: string,
  ) {}

  get plans(): number {
    return this.limits.plans;
  }

  refusePlan(): never {
    refuse(`You have ${this.plans} ${this.word}s, which is the most; delete old ones.`);
  }

  admitPoint({ ofPlan, ofUser }: PointCounts): void {
    if (ofPlan > this.limits.pointsOfPlan)
      refuse(`A ${this.word} has ${this.limits.pointsOfPlan} points at most; create another one.`);
    if (ofUser > this.limits.points)
      refuse(
        `Your ${this.word}s have ${this.limits.points} points together, which is the most; delete old ${this.word}s.`,
      );
  }
}

function refuse(message: string): never {
  throw new DomainError("invalid_input", message);
}
