import { ids, type Route, route } from "../../http/route";
import type { ArchivesService } from "./archive/archives.service";
import { ArchiveKeyReply, ArchiveReply, FlightStatsReply, FlightTrackReply } from "./executions.schema";
import type { ExecutionsService } from "./executions.service";
import type { FlightStatsService } from "./flight-stats.service";

const tag = "Executions";
const fromOwner = { tag, guard: "user", envelope: "A" } as const;
const fromOwnerTop = { tag, guard: "user", envelope: "A+top" } as const;
const params = ids("execution_id");

interface Services {
  readonly service: ExecutionsService;
  readonly stats: FlightStatsService;
  readonly archives: ArchivesService;
}

/** What is made of an execution: the statistics and the track of its log, and its archive. */
export const resultRoutes = ({ service, stats, archives }: Services): readonly Route[] => [
  route({
    ...fromOwner,
    method: "post",
    path: "/executions/:execution_id/analyze-log",
    summary: "Analyse the flight log now",
    params,
    success: { status: 200, schema: FlightStatsReply },
    documents: { 400: "There is no log, or it cannot be read." },
    handle: async ({ caller, params }) =>
      stats.analyseNow(caller.id, await service.get(caller.id, params.execution_id)),
  }),
  route({
    ...fromOwner,
    method: "get",
    path: "/executions/:execution_id/flight-stats",
    summary: "The statistics of the flight log",
    description: "The log comes some seconds after the drone was disarmed, and is then read.",
    params,
    success: { status: 200, schema: FlightStatsReply },
    documents: { 404: "No log has come yet, or the execution does not exist or is not yours." },
    handle: async ({ caller, params }) => stats.get(await service.get(caller.id, params.execution_id)),
  }),
  route({
    ...fromOwner,
    method: "get",
    path: "/executions/:execution_id/track",
    summary: "The track of the flight log",
    description: "Made together with the statistics, of the same log and of the same flight of it.",
    params,
    success: { status: 200, schema: FlightTrackReply },
    documents: { 404: "No log has come yet, or the execution does not exist or is not yours." },
    handle: async ({ caller, params }) => stats.track(await service.get(caller.id, params.execution_id)),
  }),
  route({
    ...fromOwnerTop,
    method: "get",
    path: "/executions/:execution_id/archive",
    summary: "The archive of an execution",
    description:
      "Starts a new archive when there is none or it is out of date. Repeat the request until `status` is `ready`.",
    params,
    success: { status: 200, schema: ArchiveReply },
    handle: async ({ caller, params }) => archives.get(await service.get(caller.id, params.execution_id)),
  }),
  route({
    ...fromOwnerTop,
    method: "post",
    path: "/executions/:execution_id/archive",
    summary: "Rebuild the archive",
    params,
    success: { status: 200, schema: ArchiveReply },
    handle: async ({ caller, params }) => archives.rebuild(await service.get(caller.id, params.execution_id)),
  }),
  route({
    method: "get",
    path: "/executions/archive-key",
    tag,
    summary: "The public key of the archives' signatures",
    guard: "public",
    envelope: "A+top",
    success: { status: 200, schema: ArchiveKeyReply },
    handle: () => archives.publicKey(),
  }),
];
