import { DomainError } from "../../domain/errors";

/** What a cloud's client throws, once it has tried often enough: each of its errors tells of the tries. */
export function explainStoreError(error: unknown): DomainError | undefined {
  if (!(error instanceof Error) || !("$metadata" in error)) return undefined;
  const message = "The object store, or another service behind this one, does not answer; try again shortly.";
  return new DomainError("unavailable", message, { cause: error });
}
