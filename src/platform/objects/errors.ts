import { DomainError } from "../../domain/errors";

/** Explains an error of the AWS SDK, which carries `$metadata`; undefined for any other. */
export function explainStoreError(error: unknown): DomainError | undefined {
  if (!(error instanceof Error) || !("$metadata" in error)) return undefined;
  const message = "The object store, or another service behind this one, does not answer; try again shortly.";
  return new DomainError("unavailable", message, { cause: error });
}
