import type { EnvironmentContext, JestEnvironment, JestEnvironmentConfig } from "@jest/environment";
import { ModernFakeTimers } from "@jest/fake-timers";
import { ModuleMocker } from "jest-mock";
import { runCleanUps } from "./clean-up";

// A worker whose jest was interrupted would otherwise finish its file in vain. A listener for "disconnect" would keep
// every worker alive, so the parent's pid is polled instead.
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.exit(1), 500).unref();

/** Events of the process for which the project's programs listen. */
const PROCESS_EVENTS = ["SIGTERM", "SIGINT", "SIGHUP", "exit", "disconnect", "warning"] as const;

/**
 * The worker's own context, so that packages and the product's modules are loaded once in a worker
 * (`.ci/jest-runtime.cjs`). At the end of a test file it stops what the file asked for with `fresh…()`, and puts the
 * process's variables and listeners back.
 */
export default class FleetEnvironment implements JestEnvironment<unknown> {
  readonly global = globalThis as unknown as JestEnvironment["global"];
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  private readonly variables = { ...process.env };
  private readonly listeners = PROCESS_EVENTS.map((event) => ({
    event,
    before: new Set(process.rawListeners(event)),
  }));

  constructor({ projectConfig }: JestEnvironmentConfig, _context: EnvironmentContext) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  /** Only asked for by jest's own compiler and by native ES modules, which the project does not use. */
  getVmContext(): null {
    return null;
  }

  exportConditions(): string[] {
    return ["node", "node-addons"];
  }

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    for (const name of Object.keys(process.env)) if (!(name in this.variables)) delete process.env[name];
    Object.assign(process.env, this.variables);
    for (const { event, before } of this.listeners)
      for (const listener of process.rawListeners(event))
        if (!before.has(listener)) process.off(event, listener as () => void);
  }

  /** Called by jest-circus and awaited; `run_finish` comes after the file's last hook. */
  async handleTestEvent(event: { readonly name: string }): Promise<void> {
    if (event.name === "run_finish") await runCleanUps(this.global);
  }
}
