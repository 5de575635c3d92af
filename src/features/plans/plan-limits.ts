import { DomainError } from "../../domain/errors";
import type { PointCounts } from "./plans.store";

/** As JSON. To add a text that is longer asks how long all of them are, which takes the longer the more there are. */
export const SHORT_TEXT_BYTES = 100;

/**
 * What one user may have of one kind of plan. All of it is one reply, `GET /missions`, which is held in memory until it
 * is read: 50,000 points are some 15 MB as JSON, their short texts 5 MB more and the long ones 8 MB. A survey has
 * thousands of waypoints, and MAVLink counts to 65,535. Whoever has more since before there were limits keeps it, reads
 * it and deletes it.
 */
export const PLAN_LIMITS: PlanLimits = {
  plans: 1_000,
  pointsOfPlan: 10_000,
  points: 50_000,
  textBytes: 8_000_000,
};

export interface PlanLimits {
  readonly plans: number;
  readonly pointsOfPlan: number;
  /** Of all plans together. */
  readonly points: number;
  /** Of all points' free texts together, as JSON has them; short ones are taken beyond it. */
  readonly textBytes: number;
}

/** What is refused beyond the limits of one kind of plan, in words that name it by `word`. */
export class PlanLimiter {
  constructor(
    private readonly limits: PlanLimits,
    private readonly word: string,
  ) {}

  get plans(): number {
    return this.limits.plans;
  }

  refusePlan(): never {
    refuse(`You have ${this.plans} ${this.word}s, and no more are kept: delete old ones.`);
  }

  admitPoint({ ofPlan, ofUser }: PointCounts): void {
    if (ofPlan > this.limits.pointsOfPlan)
      refuse(`A ${this.word} has ${this.limits.pointsOfPlan} points at most: begin another one.`);
    if (ofUser > this.limits.points)
      refuse(
        `Your ${this.word}s have ${this.limits.points} points together, and no more are kept: delete old ${this.word}s.`,
      );
  }

  /** Of the bytes with the new text in them; texts that have not grown are left alone. */
  admitText(textBytes: number, before = 0): void {
    if (textBytes > this.limits.textBytes && textBytes > before)
      refuse(
        `The labels of your ${this.word}s have ${this.limits.textBytes} bytes together, and no more are kept: shorten them.`,
      );
  }
}

function refuse(message: string): never {
  throw new DomainError("invalid_input", message);
}
