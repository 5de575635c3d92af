import { z } from "zod";

/** EC2's words, which the other providers borrow. */
export const instanceStates = [
  "pending",
  "running",
  "stopping",
  "stopped",
  "shutting-down",
  "terminated",
] as const;

const amount = z.number().describe("In the currency of the configured hourly rate.");

const Cost = z.object({ compute: amount, storage: amount, transfer: amount, total: amount });
export type Cost = z.output<typeof Cost>;

export const InstanceFields = z.object({
  state: z.enum(instanceStates),
  instance_id: z.string(),
  public_ip: z.string().nullable(),
  private_ip: z.string().nullable(),
});

export const InstanceStatus = InstanceFields.extend({
  status: z.enum(instanceStates).describe("The same as `state`."),
  started_at: z.iso.datetime().nullable().describe("When the running session began."),
  runtime_seconds: z.int().nullable(),
  cost_estimate: Cost.nullable().describe("Of the running session so far."),
});

export const InstanceChange = InstanceFields.extend({
  status: z.enum(["success", "info"]).describe("`info`: it was in this state already."),
  message: z.string(),
  session_cost: Cost.nullable().describe("Of the session that ended."),
});

export const InstanceSpecs = z.object({
  status: z.literal("success"),
  data: z.looseObject({ provider: z.string(), hourly_rate: z.number(), storage_gb: z.number() }),
});
