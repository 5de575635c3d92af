import { DomainError } from "../../domain/errors";

interface PostgresError {
  readonly code?: string;
  readonly constraint?: string;
  readonly column?: string;
  readonly detail?: string;
}

/** Messages for violations of named constraints. */
const constraintMessages: Readonly<Record<string, string>> = {
  missions_name_per_user: "You already have a mission with this name; choose another.",
  geofences_name_per_user: "You already have a geofence with this name; choose another.",
  users_username: "A user with this email exists already.",
};

/** Postgres error classes whose meaning a caller may know; anything else is not explained here. */
export function explainDatabaseError(error: unknown): DomainError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = "", constraint, column, detail } = error as PostgresError;
  const violated = (message: string) => new DomainError("constraint_violated", message, { cause: error });

  if (code === "23505") {
    return violated(constraintMessages[constraint ?? ""] ?? "Another row already has this value.");
  }
  if (code === "23502") return violated(`"${column}" is required.`);
  if (code === "23503" && detail?.includes("is not present in table")) {
    return violated("The object that this belongs to does not exist any more.");
  }
  if (code === "23503") {
    return new DomainError("still_referenced", "Something else still refers to this; unassign it first.", {
      cause: error,
    });
  }
  if (code === "23514") return violated("A value is not one of those allowed.");
  if (code === "22021" || code === "22P05") {
    return new DomainError("invalid_input", "A text holds a character that cannot be stored (U+0000).", {
      cause: error,
    });
  }
  if (code.startsWith("22")) return violated("A value has the wrong type or is out of range.");
  if (isConnectionFailure(error, code)) {
    return new DomainError("unavailable", "The database cannot be reached; try again shortly.", {
      cause: error,
    });
  }
  return undefined;
}

/** Messages of pg and knex, without a code, about a database that does not answer. */
const connectionMessages = [
  "Connection terminated",
  "terminating connection",
  "timeout exceeded when trying to connect",
  "timeout expired",
  "Query read timeout",
  "is not queryable",
];

function isConnectionFailure(error: Error, code: string): boolean {
  return (
    code.startsWith("08") ||
    code.startsWith("57P") ||
    ["ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EPIPE"].includes(code) ||
    error.name === "KnexTimeoutError" ||
    connectionMessages.some((text) => error.message.includes(text))
  );
}
