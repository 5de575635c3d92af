import type { Route } from "../../http/route";
import type { Operation } from "../spec-requests";
import { idsOf, kindOf, unknownKeysOf } from "./id-requests";

export interface Walked {
  readonly operation: Operation;
  readonly route: Pick<Route, "guard">;
}

/** Guards by which the walk asks its routes; of `public` ones nobody is refused. */
const walkedGuards: readonly Route["guard"][] = [
  "user",
  "refresh",
  "reset",
  "video_room",
  "drone",
  "token",
  "public",
];

/**
 * What the walk of the routes would pass over, by name: a guard that it does not know, an id whose meaning it was not
 * told, any other key of which it was not told that it finds nothing of anybody's, and a route with a token of its own
 * that is not among `tokenCases`.
 */
export function missingCases(walked: readonly Walked[], tokenCases: readonly string[]): string[] {
  return walked.flatMap(({ operation, route: { guard } }) => {
    if (!walkedGuards.includes(guard)) return [`${operation.name} is guarded by ${String(guard)}`];
    const unknown = unknownKeysOf(operation).map((key) => `${operation.name} ${key}`);
    if (guard === "token") return tokenCases.includes(operation.name) ? unknown : [operation.name];
    if (guard === "public") return unknown;
    const ids = idsOf(operation).filter((id) => kindOf(operation, id) === undefined);
    return [...ids.map((id) => `${operation.name} ${id}`), ...unknown];
  });
}
