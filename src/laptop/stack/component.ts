import type { Environment } from "../../platform/config";
import type { Ready } from "../ready";
import type { Secrets } from "./secrets";

/**
 * One thing that the laptop stack runs. The stack is a list of components in stages, started in order and stopped in
 * the reverse order; `components.ts` is that list, and a new component is one entry of it.
 */
export interface Component {
  readonly name: string;
  /** Resolves when the component answers; rejects with a reason that a person can act on. */
  start(context: ComponentContext): Promise<RunningComponent>;
}

/** What a component finds when it is started. */
export interface ComponentContext {
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

export interface RunningComponent {
  /** For ready.json and the table. */
  readonly ready?: Partial<Ready>;
  /** Variables for the stages after this one's. */
  readonly env?: Environment;
  /** Resolves with the reason when the component ends without having been stopped. */
  readonly ended?: Promise<string>;
  stop?(): Promise<void>;
  /** Kill it without waiting, because the stack exits. */
  cut?(): void;
}
