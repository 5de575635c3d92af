import type { Route } from "../../http/route";
import type { Operation } from "../spec-requests";
import { idsOf, kindOf, unknownKeysOf } from "./id-requests";

interface RouteUnderTest {
  readonly operation: Operation;
  readonly route: Pick<Route, "guard">;
}

/** The guards that the test of all routes knows. `public` routes refuse no caller. */
const knownGuards: readonly Route["guard"][] = [
  "user",
  "refresh",
  "reset",
  "video_room",
  "drone",
  "token",
  "public",
];

/**
 * The cases that the test of all routes lacks, each with the remedy: a guard, an id without a kind, a text key that may
 * find another user's object, and a route with a token of its own that is not among `tokenCases`.
 */
export function missingCases(walked: readonly RouteUnderTest[], tokenCases: readonly string[]): string[] {
  return walked.flatMap(({ operation, route: { guard } }) => {
    if (!knownGuards.includes(guard)) return [`${operation.name}: unknown guard ${String(guard)}`];
    const unknown = unknownKeysOf(operation).map(
      (key) => `${operation.name}: enter the key ${key} in src/testing/access/id-requests.ts`,
    );
    if (guard === "token")
      return tokenCases.includes(operation.name) ? unknown : [`${operation.name}: add a token case`];
    if (guard === "public") return unknown;
    const ids = idsOf(operation).filter((id) => kindOf(operation, id) === undefined);
    return [
      ...ids.map((id) => `${operation.name}: enter the id ${id} in src/testing/access/id-requests.ts`),
      ...unknown,
    ];
  });
}
