import type { Context } from "koa";

/** Aborted when the client disconnects before its reply is sent, so that work for it can stop. */
export function clientDisconnect({ res }: Context): AbortSignal {
  const disconnect = new AbortController();
  // A connection that is closed already emits nothing more.
  if (res.destroyed && !res.writableFinished) disconnect.abort();
  else res.once("close", () => res.writableFinished || disconnect.abort());
  return disconnect.signal;
}
