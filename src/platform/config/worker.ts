import { z } from "zod";
import { port } from "./fields";
import { quotaGroup } from "./quotas";
import { differentBuckets, jobsGroup, processGroup, redisGroup } from "./shared";

export const workerConfig = z
  .object({
    ...processGroup,
    WORKER_PORT: port(9090, "`/metrics`, `/healthz` and `/readyz` of the worker."),
    ...jobsGroup,
    ...redisGroup,
    ...quotaGroup("jobs", "mails", "mailbox_mails", "all_mails"),
  })
  .refine(...differentBuckets);
export type WorkerConfig = z.infer<typeof workerConfig>;
