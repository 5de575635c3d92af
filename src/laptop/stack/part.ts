import type { Environment } from "../../platform/config";
import type { Ready } from "../ready";
import type { Secrets } from "./secrets";

/**
 * One thing that the laptop stack runs. The stack is a list of parts in stages, started in order and stopped in
 * the reverse order; `parts.ts` is that list, and a new part is one entry of it.
 */
export interface Part {
  readonly name: string;
  /** Resolves when the part answers; rejects with a reason that a person can act on. */
  start(context: PartContext): Promise<RunningPart>;
}

/** What a part finds when it is started. */
export interface PartContext {
  /** The user's environment and, over it, what the stages before have given. */
  readonly env: Environment;
  /** What the stages before have said. */
  readonly ready: Ready;
  /** `.fleet`, absolute. */
  readonly folder: string;
  readonly secrets: Secrets;
  /** A line for the person at the terminal. */
  tell(line: string): void;
}

export interface RunningPart {
  /** For ready.json and the table. */
  readonly ready?: Partial<Ready>;
  /** Variables for the stages after this one's. */
  readonly env?: Environment;
  /** Resolves with the reason when the part ends without having been stopped. */
  readonly ended?: Promise<string>;
  stop?(): Promise<void>;
  /** End it without waiting: the stack is about to exit. */
  cut?(): void;
}
