import type { Context } from "koa";

/** Aborted when the caller is gone, for work that must not be done for an answer that nobody hears. */
export function hangUp({ res }: Context): AbortSignal {
  const gone = new AbortController();
  res.once("close", () => gone.abort());
  return gone.signal;
}
