interface QuotaRow {
  /** What the quota is counted for. */
  readonly per: "user" | "drone" | "mailbox" | "network" | "installation";
  /** 0 turns the quota off. */
  readonly limit: number;
  /** A rate counts uses of a window. Without it the quota is an amount, which is counted where it is stored. */
  readonly seconds?: number;
  /** Uses of a rate that a process takes from Redis at once; 1 where it is absent. */
  readonly batch?: number;
  /** What is counted, as a plural. */
  readonly counts: string;
  /** What the caller can do about an amount that is used up. */
  readonly advice?: string;
}

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** Every quota. `QUOTA_` and the name in capitals is the variable of its limit. */
export const quotaTable = {
  pending_assets: {
    ...{ per: "drone", limit: 100, counts: "assets without their upload" },
    advice: "Complete or delete some.",
  },
  assets: { per: "drone", limit: 20_000, counts: "assets", advice: "Delete some." },
  stored_bytes: {
    ...{ per: "user", limit: 50_000_000_000, counts: "bytes of uploaded assets and archives" },
    advice: "Delete some assets or executions.",
  },
  upload_bytes: {
    ...{ per: "drone", limit: 5_000_000_000, counts: "bytes of one upload" },
    advice: "Upload a smaller file.",
  },
  executions: { per: "drone", limit: 500, seconds: DAY, counts: "executions begun" },
  // An exchange with Redis for each order would cost more than 3 % of it. In return a gateway may refuse up to nine
  // orders early for each other gateway.
  orders: { per: "drone", limit: 600, seconds: MINUTE, batch: 10, counts: "orders of its user" },
  mails: { per: "user", limit: 200, seconds: DAY, counts: "reports and confirmations sent for a user" },
  mailbox_mails: {
    ...{ per: "mailbox", limit: 50, seconds: DAY },
    counts: "mails, except for a new password. Addresses that differ in their tag only are one mailbox",
  },
  requested_mails: {
    ...{ per: "mailbox", limit: 5, seconds: HOUR },
    counts: "mails of one kind that somebody asked for",
  },
  network_mails: {
    ...{ per: "network", limit: 20, seconds: HOUR },
    counts: "mails asked for without an account",
  },
  all_mails: { per: "installation", limit: 1_000, seconds: HOUR, counts: "mails, except for a new password" },
  registrations: { per: "network", limit: 20, seconds: HOUR, counts: "registrations" },
  activation_failures: {
    ...{ per: "installation", limit: 1_000, seconds: HOUR },
    counts: "wrong activation tokens",
  },
  jobs: { per: "user", limit: 1, counts: "background jobs that run at a time; others wait" },
  sockets: {
    ...{ per: "user", limit: 50, counts: "Socket.IO connections to one gateway" },
    advice: "Close some.",
  },
  relay_sessions: {
    ...{ per: "user", limit: 50, counts: "sessions with one relay" },
    advice: "Close some.",
  },
  video_viewers: {
    ...{ per: "user", limit: 60, seconds: MINUTE },
    counts: "viewers of drones' cameras that begin or are kept alive",
  },
  resting_addresses: {
    ...{ per: "user", limit: 20 },
    counts: "addresses of deleted drones within 24 hours; at the limit the user's own are used again",
  },
} as const satisfies Readonly<Record<string, QuotaRow>>;

export type QuotaName = keyof typeof quotaTable;
export type RateName = {
  [Name in QuotaName]: (typeof quotaTable)[Name] extends { seconds: number } ? Name : never;
}[QuotaName];
export type AmountName = Exclude<QuotaName, RateName>;

export const quotaNames = Object.keys(quotaTable) as QuotaName[];
export const quotaOf = (name: QuotaName): QuotaRow => quotaTable[name];
