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
  /** The user's environment, overridden by the variables of earlier stages. */
  readonly env: Environment;
  /** The entries of earlier stages for `ready.json`. */
  readonly ready: Ready;
  /** `.fleet`, absolute. */
  readonly folder: string;
  readonly secrets: Secrets;
  /** A line for the person at the terminal. */
  print(line: string): void;
}

export interface RunningPart {
  /** For ready.json and the table. */
  readonly ready?: Partial<Ready>;
  /** Variables for the stages after this one's. */
  readonly env?: Environment;
  /** Resolves with the reason when the part ends without having been stopped. */
  readonly ended?: Promise<string>;
  stop?(): Promise<void>;
  /** Kill it without waiting, because the stack exits. */
  cut?(): void;
}
