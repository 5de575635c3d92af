import type { Route } from "../../http/route";
import type { GatewayConfig } from "../../platform/config";
import type { Tasks } from "../../platform/jobs/worker";
import type { Mailer } from "../../platform/mail";
import { type ObjectStore, URL_SECONDS } from "../../platform/objects/object-store";
import type { Db } from "../../platform/postgres/db";
import type { Clock } from "../../platform/process/clock";
import type { Logger } from "../../platform/process/log";
import type { MailQuotas } from "../../platform/quotas/mail-quotas";
import type { Quotas } from "../../platform/quotas/quotas";
import { parseSigningKey } from "../../platform/signing-key";
import type { VehicleLinks } from "../../vehicle";
import type { AssetsService } from "../assets";
import { findDrone, linkTarget } from "../drones";
import { ArchivesService } from "./archive/archives.service";
import { makeArchiveTask } from "./archive/make-archive";
import { executionRoutes } from "./executions.routes";
import { ExecutionsService } from "./executions.service";
import { analyseLogTask, FlightStatsService } from "./flight-stats.service";
import { reportDeadlineTask } from "./report/dispatch";
import { ReportsService } from "./report/reports.service";
import { sendReportTask } from "./report/send-report";

export { verifyArchive } from "./archive/verify-archive";
export { executionHooks } from "./asset-hooks";

interface ExecutionsDeps {
  readonly config: GatewayConfig;
  readonly db: Db;
  readonly store: ObjectStore;
  readonly quotas: Quotas;
  readonly mailQuotas: MailQuotas;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly log: Logger;
  readonly links: Pick<VehicleLinks, "withLink">;
  readonly assets: AssetsService;
}

/** Executions, their flight statistics, reports and archives. */
export function executions(deps: ExecutionsDeps): { readonly routes: readonly Route[] } {
  const { config, db, store, quotas, clock, log, links, assets } = deps;
  const service = new ExecutionsService({
    db,
    store,
    clock,
    log,
    quotas,
    readPlan: async (droneId) => {
      const drone = await findDrone(db, droneId);
      if (!drone) throw new Error("The drone was deleted.");
      return links.withLink(linkTarget(config, drone), (link) => link.readMission());
    },
  });
  const stats = new FlightStatsService({ db, store, clock });
  const reports = new ReportsService({ ...deps, origin: config.PUBLIC_ORIGIN });
  const archives = new ArchivesService({
    db,
    store,
    clock,
    key: signingKey(config),
    downloadSeconds: URL_SECONDS,
  });
  return { routes: executionRoutes({ service, assets, stats, reports, archives }) };
}

/** Jobs for log analysis, reports and archives. */
export function executionTasks(deps: {
  readonly config: Pick<GatewayConfig, "ARCHIVE_SIGNING_KEY" | "PUBLIC_ORIGIN">;
  readonly db: Db;
  readonly store: ObjectStore;
  readonly mailQuotas: MailQuotas;
  readonly mailer: Mailer;
  readonly clock: Clock;
}): Tasks {
  const { config, db, store } = deps;
  const stats = new FlightStatsService(deps);
  return {
    "analyse-log": analyseLogTask(stats, db),
    "report-deadline": reportDeadlineTask(deps),
    "send-report": sendReportTask({ ...deps, origin: config.PUBLIC_ORIGIN }),
    "make-archive": makeArchiveTask({ db, store, clock: deps.clock, key: signingKey(config) }),
  };
}

const signingKey = ({ ARCHIVE_SIGNING_KEY }: Pick<GatewayConfig, "ARCHIVE_SIGNING_KEY">) =>
  ARCHIVE_SIGNING_KEY ? parseSigningKey(ARCHIVE_SIGNING_KEY) : undefined;
