import type { Context } from "koa";

/** Aborted when the caller is gone, for work that must not be done for an answer that nobody hears. */
export function hangUp({ res }: Context): AbortSignal {
  const gone = new AbortController();
  // Who left before now will not be told of again.
  if (res.closed) gone.abort();
  else res.once("close", () => gone.abort());
  return gone.signal;
}
