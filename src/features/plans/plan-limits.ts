/** UTF-16 units of a point's label. */
export const LABEL_LENGTH = 200;

/** A whole plan as one batch: 2,000 points with all columns and labels of full length. */
export const BATCH_BYTES = 1_048_576;

/**
 * The plans of one kind that one user may have. `GET /missions` returns all of it in one reply, 17 MB at most.
 * Plans that were stored before there were limits can still be read and deleted.
 */
export const PLAN_LIMITS = {
  plans: 1_000,
  pointsOfPlan: 2_000,
  /** Of all plans together. */
  points: 20_000,
};
export type PlanLimits = typeof PLAN_LIMITS;
