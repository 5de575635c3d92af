export { BATCH_BYTES, LABEL_LENGTH, PLAN_LIMITS, type PlanLimits } from "./plan-limits";
export { planRoute, planRoutes, serialized } from "./plans.routes";
export {
  allOf,
  batchOf,
  firstOf,
  Label,
  MavCmd,
  optionalColumns,
  PlanName,
  pointColumns,
  RowId,
} from "./plans.schema";
export { type ChangeOf, type PlanKind, PlanService, type PlanWithPoints } from "./plans.service";
export { PlanStore, type PlanTables } from "./plans.store";
