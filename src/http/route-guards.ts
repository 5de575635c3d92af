import type { Context } from "koa";
import type { Callers, GuardName } from "./route";

/** Turns a request into its caller, or throws `unauthenticated`. */
export type Guard<Name extends GuardName> = (ctx: Context) => Promise<Callers[Name]> | Callers[Name];
export type Guards = { readonly [Name in GuardName]: Guard<Name> };
