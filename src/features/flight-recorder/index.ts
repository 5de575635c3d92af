import type { Tasks } from "../../platform/jobs/worker";
import type { Services } from "../../platform/services";
import { joinRecordTask } from "./join-record";

export { FlightRecorder } from "./flight-recorder";

/** The job that joins a record's parts. */
export const recorderTasks = (deps: Pick<Services, "db" | "store" | "clock">): Tasks => ({
  "join-record": joinRecordTask(deps),
});
