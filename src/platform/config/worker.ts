import { z } from "zod";
import { port } from "./fields";
import { areBucketsApart, BUCKETS_FAULT, jobsGroup, processGroup } from "./shared";

export const workerConfig = z
  .object({
    ...processGroup,
    WORKER_PORT: port(9090, "`/metrics`, `/healthz` and `/readyz` of the worker."),
    ...jobsGroup,
  })
  .refine(areBucketsApart, BUCKETS_FAULT);
export type WorkerConfig = z.infer<typeof workerConfig>;
