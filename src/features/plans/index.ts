export {
  Altitude,
  batchOf,
  Frame,
  firstOf,
  Latitude,
  Longitude,
  NavCommand,
  Param,
  PlanName,
  RowId,
  Sequence,
} from "./plans.schema";
export { type ChangeOf, type PlanKind, PlanService } from "./plans.service";
export { PlanStore, type PlanTables } from "./plans.store";
