import type { Context } from "koa";
import { z } from "zod";
import { DomainError } from "../domain/errors";
import { issueMessage } from "../platform/config/issue-message";
import type { Route } from "./route";

const nothing = z.object({});

/** Parse a request by its route's schemas. A path parameter that does not fit is `not_found`. */
export function parseInput(
  route: Route,
  ctx: Context,
  given: unknown,
): { params: unknown; query: unknown; body: unknown } {
  const params = (route.params ?? nothing).safeParse(ctx.params);
  if (!params.success) throw new DomainError("not_found", "Not found.");
  const query = parsePart("query", route.query ?? nothing, ctx.query);
  const body = route.body ? parsePart("body", route.body, given) : undefined;
  return { params: params.data, query, body };
}

function parsePart(part: "query" | "body", schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new DomainError("invalid_input", describeIssues(part, parsed.error), {
    cause: parsed.error,
  });
}

/** `drone_id: must be a whole number; name: is required`, the first ten faults. */
export function describeIssues(part: string, error: z.ZodError): string {
  return error.issues
    .slice(0, 10)
    .map((issue) => `${issue.path.join(".") || part}: ${issueMessage(issue)}`)
    .join("; ");
}
