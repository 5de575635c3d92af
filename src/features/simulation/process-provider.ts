import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { DomainError } from "../../domain/errors";
import { program } from "../../platform/process/program";
import type { Instance, SimulationProvider } from "./provider";

const { file, execArgv } = program(join(__dirname, "../../../cmd/simulator"));
const KILL_AFTER_MS = 5_000;

/**
 * The built-in simulator as a child of this process, for a laptop. It ends with this process, so after a restart it is
 * stopped.
 *
 * stopped → pending (forked) → running (its vehicles listen) → stopping (SIGTERM sent) → stopped
 */
export class ProcessProvider implements SimulationProvider {
  private child: ChildProcess | undefined;
  private state: Instance["state"] = "stopped";
  private launched: Date | null = null;
  private fault: Error | undefined;

  /** Of its first vehicle. */
  constructor(private readonly port: number) {}

  specs = async () => ({
    provider: "process",
    instance_type: "built-in simulator",
    link_port: this.port,
  });

  async describe(): Promise<Instance> {
    if (this.fault) {
      const fault = this.fault;
      this.fault = undefined;
      throw fault;
    }
    const address = this.child ? "127.0.0.1" : null;
    return {
      instance_id: "built-in",
      state: this.state,
      public_ip: address,
      private_ip: address,
      launched_at: this.launched,
    };
  }

  async start(): Promise<void> {
    if (this.child) return;
    const child = fork(file, [], {
      env: { ...simulatorEnvironment(), SIMULATOR_PORT: String(this.port), HOST: "127.0.0.1" },
      execArgv,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.child = child;
    this.state = "pending";
    this.launched = new Date();
    child.once("message", () => {
      if (this.state === "pending") this.state = "running";
    });
    child.once("error", (error) => this.ended(child, error));
    child.once("exit", (code) =>
      this.ended(
        child,
        this.state === "pending"
          ? new DomainError(
              "simulation_refused",
              `The simulator did not start (code ${code}); is port ${this.port} in use?`,
            )
          : undefined,
      ),
    );
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (!child || this.state === "stopping") return;
    this.state = "stopping";
    child.kill("SIGTERM");
    const insist = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
    child.once("exit", () => clearTimeout(insist));
  }

  async close(): Promise<void> {
    const { child } = this;
    if (!child) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    await this.stop();
    await gone;
  }

  private ended(child: ChildProcess, fault: Error | undefined): void {
    if (this.child !== child) return;
    this.child = undefined;
    this.state = "stopped";
    this.launched = null;
    this.fault = fault;
  }
}

/** What a vehicle is like, and none of our secrets; the ports and logs of a simulator beside us are its own. */
const passedOn = /^(SIMULATOR_(COPTERS|ROVERS|PX4_COPTERS|HOME|SPEEDUP)|PATH|HOME|TZ|TMPDIR)$/;

const simulatorEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name)));
