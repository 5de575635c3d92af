import type { z } from "zod";

/**
 * What is wrong with a value, in words for its sender, to stand behind the field's name: "is required",
 * "must be a number". Never with the value itself, which may be a secret.
 */
export function issueMessage(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return isMissing(issue) ? "is required" : `must be ${withArticle(issue.expected)}`;
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}`;
    case "too_small":
      return `must ${atLeast(issue)} ${issue.minimum}${unit(issue.origin)}`;
    case "too_big":
      return `must ${atMost(issue)} ${issue.maximum}${unit(issue.origin)}`;
    case "invalid_format":
      return issue.format === "regex" ? regexWords(issue.message) : `must be a valid ${issue.format}`;
    case "unrecognized_keys":
      return `has no field ${issue.keys.map((key) => `"${key}"`).join(", ")}`;
    case "custom":
      return issue.message;
    default:
      return "is not valid";
  }
}

/** zod names a missing value only in its own message, never in the issue. */
const isMissing = ({ message }: z.core.$ZodIssue): boolean => message.endsWith("received undefined");

const names: Readonly<Record<string, string>> = {
  int: "a whole number",
  array: "an array",
  object: "an object",
  record: "an object",
  boolean: "true or false",
};

const withArticle = (expected: string): string => names[expected] ?? `a ${expected}`;

const counted = new Set(["string", "array", "set"]);

const atLeast = ({ origin, inclusive }: z.core.$ZodIssueTooSmall): string =>
  counted.has(origin) ? "have at least" : inclusive ? "be at least" : "be more than";

const atMost = ({ origin, inclusive }: z.core.$ZodIssueTooBig): string =>
  counted.has(origin) ? "have at most" : inclusive ? "be at most" : "be less than";

const unit = (origin: string): string =>
  origin === "string" ? " characters" : counted.has(origin) ? " items" : "";

/** A schema may say better than a pattern what is meant. */
const regexWords = (message: string): string =>
  message.startsWith("Invalid string") ? "has the wrong form" : message;
