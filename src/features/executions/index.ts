import type { Route } from "../../http/route";
import type { Tasks } from "../../platform/jobs/worker";
import type { Services } from "../../platform/services";
import { parseSigningKey } from "../../platform/signing-key";
import type { VehicleLinks } from "../../vehicle";
import type { AssetsService } from "../assets";
import { findDrone, linkTarget } from "../drones";
import { ArchivesService } from "./archive/archives.service";
import { makeArchiveTask } from "./archive/make-archive";
import { executionRoutes, reportRoutes } from "./executions.routes";
import { ExecutionsService } from "./executions.service";
import { analyseLogTask, FlightStatsService } from "./flight-stats.service";
import { reportDeadlineTask } from "./report/dispatch";
import { ReportsService } from "./report/reports.service";
import { sendReportTask } from "./report/send-report";
import { resultRoutes } from "./results.routes";

export { verifyArchive } from "./archive/verify-archive";
export { executionHooks } from "./asset-hooks";

interface ExecutionsDeps
  extends Pick<Services, "config" | "db" | "store" | "quotas" | "mailQuotas" | "mailer" | "clock" | "log"> {
  readonly links: Pick<VehicleLinks, "withLink">;
  readonly assets: AssetsService;
}

/** Executions, their flight statistics, reports and archives. */
export function executions(deps: ExecutionsDeps): { readonly routes: readonly Route[] } {
  const { config, db, links, assets } = deps;
  const readPlan = async (droneId: number) => {
    const drone = await findDrone(db, droneId);
    if (!drone) throw new Error("The drone was deleted.");
    return links.withLink(linkTarget(config, drone), (link) => link.readMission());
  };
  const service = new ExecutionsService({ ...deps, readPlan });
  const stats = new FlightStatsService(deps);
  const reports = new ReportsService({ ...deps, origin: config.PUBLIC_ORIGIN });
  const archives = new ArchivesService({ ...deps, key: signingKey(config) });
  return {
    routes: [
      ...executionRoutes({ service, assets }),
      ...resultRoutes({ service, stats, archives }),
      ...reportRoutes({ service, reports }),
    ],
  };
}

type TaskConfig = Pick<Services["config"], "ARCHIVE_SIGNING_KEY" | "PUBLIC_ORIGIN">;

/** Jobs for log analysis, reports and archives. */
export function executionTasks(
  deps: Pick<Services, "db" | "store" | "mailQuotas" | "mailer" | "clock"> & { readonly config: TaskConfig },
): Tasks {
  const { config, db } = deps;
  const stats = new FlightStatsService(deps);
  return {
    "analyse-log": analyseLogTask(stats, db),
    "report-deadline": reportDeadlineTask(deps),
    "send-report": sendReportTask({ ...deps, origin: config.PUBLIC_ORIGIN }),
    "make-archive": makeArchiveTask({ ...deps, key: signingKey(config) }),
  };
}

const signingKey = ({ ARCHIVE_SIGNING_KEY }: TaskConfig) =>
  ARCHIVE_SIGNING_KEY ? parseSigningKey(ARCHIVE_SIGNING_KEY) : undefined;
