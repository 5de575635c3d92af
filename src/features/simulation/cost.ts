import type { Cost } from "./simulation.schema";

/** AWS's list prices in us-east-1, in US dollars. The instance's hour, which dominates the estimate, is configured. */
export const STORAGE_GB = 30;
const PER_STORAGE_GB_MONTH = 0.08;
const HOURS_PER_MONTH = 730;
/** Gigabytes that a running machine is expected to send in an hour. */
const TRANSFER_GB_PER_HOUR = 0.5;
const PER_TRANSFER_GB = 0.09;

const rounded = (amount: number) => Math.round(amount * 10_000) / 10_000;

/** What a session has cost so far, at the instance's price of an hour; nothing is billed by it. Storage is counted while it runs only. A clock that went back costs nothing. */
export function estimateCost(perHour: number, startedAt: Date, now: Date): Cost {
  const hours = Math.max(0, now.getTime() - startedAt.getTime()) / 3_600_000;
  const compute = hours * perHour;
  const storage = (hours * STORAGE_GB * PER_STORAGE_GB_MONTH) / HOURS_PER_MONTH;
  const transfer = hours * TRANSFER_GB_PER_HOUR * PER_TRANSFER_GB;
  return {
    compute: rounded(compute),
    storage: rounded(storage),
    transfer: rounded(transfer),
    total: rounded(compute + storage + transfer),
  };
}
