import { z } from "zod";
import { AssetReply } from "../assets";
import type { Execution, ListedExecution } from "./executions.store";

const RowId = z.int().positive().max(2_147_483_647);

export const StartWish = z.object({
  mission_id: RowId.nullish().describe("The drone's own mission when absent."),
});

export const CompleteWish = z.object({
  status: z.enum(["completed", "aborted", "error"]),
  notes: z
    .string()
    .max(10_000)
    .refine((text) => !text.includes("\u0000"), "may not contain U+0000")
    .nullish(),
});
export type CompleteWish = z.output<typeof CompleteWish>;

export const LogWish = z.object({ asset_id: RowId });

export const PageQuery = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .default(20)
    .transform((limit) => Math.min(limit, 100))
    .describe("At most 100."),
  offset: z.coerce.number().int().min(0).max(2_147_483_647).default(0),
});

export const ExecutionReply = z
  .object({
    id: z.int(),
    drone_id: z.int(),
    user_id: z.int(),
    mission_id: z.int().nullable(),
    mission_name: z.string().nullable().describe("As it was when the execution began."),
    status: z.enum(["in_progress", "completed", "aborted", "error"]),
    notes: z.string().nullable(),
    started_at: z.string(),
    completed_at: z.string().nullable(),
    plan_state: z
      .enum(["unread", "verified", "different", "unverified"])
      .describe(
        "`verified`: when it began the drone held the plan that was last uploaded to it and read back. `different`: another one. `unverified`: one that was not uploaded here. `unread`: it did not say.",
      ),
    plan_hash: z.string().nullable().describe("SHA-256 of the plan on the vehicle when it began."),
    verified_plan_hash: z.string().nullable().describe("SHA-256 of the plan last uploaded and read back."),
    log_asset_id: z.int().nullable(),
    report: z.enum(["none", "pending", "queued", "sent"]),
    report_sent_at: z.string().nullable(),
  })
  .meta({ id: "Execution" });
type ExecutionReply = z.output<typeof ExecutionReply>;

export const ExecutionWithAssets = ExecutionReply.extend({ assets: z.array(AssetReply) }).meta({
  id: "ExecutionWithAssets",
});

export const ExecutionPage = z
  .object({
    executions: z.array(ExecutionReply),
    total: z.int().describe("Of all pages."),
    limit: z.int(),
    offset: z.int(),
  })
  .meta({ id: "ExecutionPage" });

export const LogReply = z.object({
  execution_id: z.int(),
  asset_id: z.int(),
  status: z.enum(["pending", "ready", "failed"]).describe("Of the analysis."),
});

/** Fifty addresses of the greatest length are more than anyone types. */
export const ReportEmailsWish = z.object({
  extra_emails: z.string().max(4_000).describe("Comma separated; empty for none."),
});

export const ReportEmails = z.object({
  email: z.string(),
  extra_emails: z.string().describe("Comma separated."),
  all_recipients: z.array(z.string()),
});

export const SendWish = z.object({ email: z.email().max(254) });

export const ArchiveReply = z
  .object({
    execution_id: z.int(),
    status: z.enum(["pending", "ready", "failed"]),
    url: z.string().nullable().describe("Presigned, once it is ready."),
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

export function toExecutionReply(execution: Execution | ListedExecution): ExecutionReply {
  const {
    plan_items: _,
    started_at,
    completed_at,
    report_sent_at,
    ...rest
  }: Partial<Execution> & ListedExecution = execution;
  return {
    ...rest,
    started_at: started_at.toISOString(),
    completed_at: completed_at?.toISOString() ?? null,
    report_sent_at: report_sent_at?.toISOString() ?? null,
  };
}
