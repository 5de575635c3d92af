/** Rates in the currency that the operator thinks in; nothing is billed by them. */
export interface Rates {
  /** One hour of the running machine, on demand. */
  readonly perHour: number;
  readonly storageGb: number;
  /** One gigabyte kept for a month of 730 hours. */
  readonly perStorageGbMonth: number;
  /** Gigabytes that a running machine is expected to send in an hour. */
  readonly transferGbPerHour: number;
  readonly perTransferGb: number;
}

export interface CostEstimate {
  readonly compute: number;
  readonly storage: number;
  readonly transfer: number;
  readonly total: number;
}

const HOURS_PER_MONTH = 730;
const rounded = (amount: number) => Math.round(amount * 10_000) / 10_000;

/** What a session has cost so far; storage is counted while it runs only. A clock that went back costs nothing. */
export function estimateCost(rates: Rates, startedAt: Date, now: Date): CostEstimate {
  const hours = Math.max(0, now.getTime() - startedAt.getTime()) / 3_600_000;
  const compute = hours * rates.perHour;
  const storage = (hours * rates.storageGb * rates.perStorageGbMonth) / HOURS_PER_MONTH;
  const transfer = hours * rates.transferGbPerHour * rates.perTransferGb;
  return {
    compute: rounded(compute),
    storage: rounded(storage),
    transfer: rounded(transfer),
    total: rounded(compute + storage + transfer),
  };
}
