import type { z } from "zod";
import type { InstanceFields } from "./simulation.schema";

export interface Instance extends z.output<typeof InstanceFields> {
  /** When the provider says that it last started; null when it does not report that. */
  readonly launched_at: Date | null;
}

/** The one machine that simulates vehicles. Each method rejects with the provider's own reason. */
export interface SimulationProvider {
  /** What does not change, for people. */
  specs(): Promise<Readonly<Record<string, string | number>>>;
  describe(): Promise<Instance>;
  /** Requests the start; `describe` shows when it runs. Harmless when it runs already. */
  start(): Promise<void>;
  /** Asks for it. Harmless when it is stopped already. */
  stop(): Promise<void>;
  close?(): Promise<void>;
}
