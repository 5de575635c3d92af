import { z } from "zod";
import { type Route, route } from "../../http/route";
import { jobsOf } from "../../platform/jobs/jobs";
import { orderQuotaKey } from "../../platform/quotas/quotas";
import { type QuotaName, quotaOf } from "../../platform/quotas/table";
import type { Services } from "../../platform/services";
import { storedBytes } from "../assets";
import { countResting } from "../vpn";
import { droneAssets } from "./usage.store";

const QuotaUse = z
  .object({
    quota: z.string(),
    counts: z.string().describe("What is counted."),
    drone_id: z.int().nullable().describe("The drone that it is counted for; null for the user."),
    used: z.int(),
    waiting: z.int().nullable().describe("Jobs that wait for their turn; null for other quotas."),
    limit: z.int().describe("0: no limit."),
    seconds: z.int().nullable().describe("The window of a rate. Null for an amount."),
  })
  .meta({ id: "QuotaUse" });

interface QuotasDeps extends Pick<Services, "db" | "clock" | "quotas"> {
  /** Connections of a user to this gateway. */
  readonly socketsOf: (userId: number) => number;
}

/** What a user and each of their drones use of their quotas. */
export function quotas({ db, clock, quotas, socketsOf }: QuotasDeps): { readonly routes: readonly Route[] } {
  const row = (quota: QuotaName, used: number, drone_id: number | null = null) => {
    const { counts, seconds = null } = quotaOf(quota);
    return { quota, counts, drone_id, used, waiting: null, limit: quotas.limit(quota), seconds };
  };
  const use = async (userId: number) => {
    const now = clock.now();
    const { running, waiting } = await jobsOf(db, userId);
    const rows = [
      { ...row("jobs", running), waiting },
      row("stored_bytes", await storedBytes(db, userId, now)),
      row("sockets", socketsOf(userId)),
      row("resting_addresses", await countResting(db, userId)),
      row("mails", await quotas.used("mails", userId)),
      row("video_viewers", await quotas.used("video_viewers", userId)),
    ];
    for (const { drone_id, ...amounts } of await droneAssets(db, userId, now)) {
      rows.push(
        row("assets", amounts.assets, drone_id),
        row("pending_assets", amounts.pending_assets, drone_id),
        row("executions", await quotas.used("executions", drone_id), drone_id),
        row("orders", await quotas.used("orders", orderQuotaKey(userId, drone_id)), drone_id),
      );
    }
    return rows;
  };
  const routes = [
    route({
      method: "get",
      path: "/user/quotas",
      tag: "Accounts",
      summary: "Your quotas and their use",
      guard: "user",
      envelope: "A",
      success: { status: 200, schema: z.array(QuotaUse) },
      handle: ({ caller }) => use(caller.id),
    }),
  ];
  return { routes };
}
