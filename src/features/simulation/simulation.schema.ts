import { z } from "zod";
import { instanceStates } from "./provider";

const amount = z.number().describe("In the currency of the configured rates.");

const Cost = z.object({ compute: amount, storage: amount, transfer: amount, total: amount });

const instance = {
  state: z.enum(instanceStates),
  instance_id: z.string(),
  public_ip: z.string().nullable(),
  private_ip: z.string().nullable(),
};

export const InstanceStatus = z.object({
  status: z.enum(instanceStates).describe("The same as `state`."),
  ...instance,
  started_at: z.iso.datetime().nullable().describe("When the running session began."),
  runtime_seconds: z.int().nullable(),
  cost_estimate: Cost.nullable().describe("Of the running session so far."),
});

export const InstanceChange = z.object({
  status: z.enum(["success", "info"]).describe("`info`: it was in this state already."),
  message: z.string(),
  ...instance,
  session_cost: Cost.nullable().describe("Of the session that ended."),
});

export const InstanceSpecs = z.object({
  status: z.literal("success"),
  data: z.looseObject({ provider: z.string(), hourly_rate: z.number(), storage_gb: z.number() }),
});
