import { z } from "zod";
import { FlightStats, FlightTrack } from "../../flight-log";
import { BodyId, pageQuery, Text } from "../../http/route";
import type { RowOf } from "../../platform/postgres/row-of";
import { AssetReply } from "../assets";
import { ItemOnBoard } from "../plan-transfers";

export const StartRequest = z.object({
  mission_id: BodyId.nullish().describe("The drone's mission when absent."),
});

export const CompleteRequest = z.object({
  status: z.enum(["completed", "aborted", "error"]),
  notes: Text.max(10_000).nullish(),
});
export type CompleteRequest = z.output<typeof CompleteRequest>;

export const LogRequest = z.object({ asset_id: BodyId });

export const PageQuery = pageQuery(100, 20);

export const ExecutionReply = z
  .object({
    id: z.int(),
    drone_id: z.int(),
    user_id: z.int().describe("The drone's owner at the start."),
    mission_id: z
      .int()
      .nullable()
      .describe(
        "The drone's mission at the start, as `PUT /drone/{drone_id}` set it; a push does not set it.",
      ),
    mission_name: z.string().nullable().describe("The name at the start."),
    /** in_progress → completed, aborted or error, set by the drone. A drone has at most one in progress. */
    status: z.enum(["in_progress", "completed", "aborted", "error"]),
    notes: z.string().nullable(),
    started_at: z.string(),
    completed_at: z.string().nullable(),
    plan_state: z
      .enum(["unread", "verified", "different", "unverified"])
      .describe(
        "The plan on board at the start. `verified`: the plan that was last uploaded and read back. `different`: another plan. `unverified`: a plan that was not uploaded by this service. `unread`: the drone did not send it.",
      ),
    plan_hash: z.string().nullable().describe("SHA-256 of the plan on board at the start."),
    verified_plan_hash: z.string().nullable().describe("SHA-256 of the plan last uploaded and read back."),
    log_asset_id: z.int().nullable(),
    /**
     * none → pending (waits for uploads and the log) → queued → sent. A queued report that a quota refuses waits for the
     * end of its window, and is refused after a week.
     */
    report: z
      .enum(["none", "pending", "queued", "sent", "refused"])
      .describe(
        "`queued`: about to be sent, or waiting for a quota. `refused`: waited for a quota for a week.",
      ),
    report_reason: z.string().nullable().describe("Why mails of the report have not been sent."),
    report_sent_at: z.string().nullable(),
  })
  .meta({ id: "Execution" });

export const ExecutionWithAssets = ExecutionReply.extend({ assets: z.array(AssetReply) }).meta({
  id: "ExecutionWithAssets",
});

export const ExecutionPage = z
  .object({
    executions: z.array(ExecutionReply),
    total: z.int().describe("On all pages."),
    limit: z.int(),
    offset: z.int(),
  })
  .meta({ id: "ExecutionPage" });

export const LogReply = z.object({
  execution_id: z.int(),
  asset_id: z.int(),
  status: z.enum(["pending", "ready", "failed"]).describe("Status of the analysis."),
});

/** Enough for fifty addresses. */
export const ReportEmailsInput = z.object({
  extra_emails: z.string().max(4_000).describe("Comma separated; empty for none."),
});

export const ReportEmails = z.object({
  email: z.string().describe("The owner's."),
  extra_emails: z.string().describe("Comma separated."),
  all_recipients: z.array(z.string()),
  unconfirmed_emails: z
    .array(z.string())
    .describe("Of all recipients, those whose owners have not confirmed them: they get no report."),
});

export const SendReportRequest = z.object({ email: z.email().max(254) });

export const ArchiveReply = z
  .object({
    execution_id: z.int(),
    status: z.enum(["pending", "ready", "failed"]),
    url: z.string().nullable().describe("Presigned; null until the archive is ready."),
    expires_at: z.string().nullable().describe("When the URL expires."),
    size: z.int().nullable().describe("Bytes."),
    sha256: z.string().nullable().describe("Of the zip."),
    made_at: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: "Archive" });

export const ArchiveKeyReply = z.object({
  algorithm: z.enum(["Ed25519"]),
  public_key: z.string().describe("PEM (SubjectPublicKeyInfo)."),
  fingerprint: z.string().describe("SHA-256 of the key's DER form, in hex."),
});

export const FlightStatsReply = z
  .object({
    execution_id: z.int(),
    asset_id: z.int().nullable().describe("The log."),
    recorded: z
      .boolean()
      .describe(
        "The drone's own log has not come or cannot be read: the statistics are of what this service recorded of its link.",
      ),
    status: z
      .enum(["pending", "ready", "failed"])
      .describe("`failed`: the log cannot be read; `error` says why."),
    error: z.string().nullable().describe("With `recorded`: why the drone's own log cannot be read."),
    analysed_at: z.string().nullable(),
    stats: FlightStats.partial({
      ...{ flight_number: true, flight_count: true, flight_chosen_by: true, failsafes: true },
    })
      .nullable()
      .describe(
        "Of the execution's flight: a log may have several. `flight_number` of `flight_count` is the one that overlaps the execution by the log's own clock (`flight_chosen_by`: `time`), or else the last that had ended (`order`). Statistics of release 0.1.0 lack these and `failsafes`.",
      ),
  })
  .meta({ id: "FlightStats" });

export const FlightTrackReply = FlightStatsReply.omit({ stats: true })
  .extend({
    track: FlightTrack.nullable().describe(
      "null until the log is analysed, and where a release without tracks analysed it: `POST /executions/{execution_id}/analyze-log` then makes one.",
    ),
  })
  .meta({ id: "FlightTrack" });

export const FlownPlanReply = ExecutionReply.pick({ plan_state: true, plan_hash: true })
  .extend({ items: z.array(ItemOnBoard).nullable().describe("null when the drone did not send its plan.") })
  .meta({ id: "FlownPlan" });

/** An execution without its plan, which may be long. */
export type ListedExecution = RowOf<typeof ExecutionReply>;

export const toExecutionReply = ({
  plan_items: _,
  ...execution
}: ListedExecution & { plan_items?: unknown }) => execution;
