import { DomainError, isDomainError } from "../../domain/errors";
import type { Db } from "../../platform/postgres/db";
import type { Services } from "../../platform/services";
import { estimateCost, STORAGE_GB } from "./cost";
import type { Instance, SimulationProvider } from "./provider";
import { beginSession, endSession, lockInstance, sessionStart } from "./sessions.store";
import type { Cost } from "./simulation.schema";

interface SimulationDeps extends Pick<Services, "db" | "clock"> {
  /** Undefined where no instance is configured. */
  readonly provider: SimulationProvider | undefined;
  /** The instance's price of an hour. */
  readonly perHour: number;
}

export interface Session {
  readonly started_at: Date;
  /** Seconds. */
  readonly runtime_seconds: number;
  readonly cost: Cost;
}

export interface Change {
  /** `info`: it was in this state already. */
  readonly status: "success" | "info";
  readonly instance: Instance;
  readonly session: Session | undefined;
}

/** The simulation instance: one machine for all users. */
export class SimulationService {
  constructor(private readonly deps: SimulationDeps) {}

  async status(): Promise<{ instance: Instance; session: Session | undefined }> {
    const instance = await this.call((provider) => provider.describe());
    const isUp = instance.state !== "stopped" && instance.state !== "terminated";
    return { instance, session: isUp ? await this.session(instance) : undefined };
  }

  /** Returns the session that begins. Rejects with `simulation_refused` in a state that cannot be started. */
  async start(): Promise<Change> {
    const before = await this.exclusively(async (trx) => {
      const now = await this.status();
      if (now.instance.state === "running") return { ...now, status: "info" as const };
      if (now.instance.state !== "stopped") throw unactionable("started", now.instance);
      await this.call((provider) => provider.start());
      await beginSession(trx, now.instance.instance_id, this.deps.clock.now());
      return undefined;
    });
    return before ?? { ...(await this.status()), status: "success" };
  }

  /** Returns the session that ends. Rejects with `simulation_refused` in a state that cannot be stopped. */
  async stop(): Promise<Change> {
    const before = await this.exclusively(async (trx) => {
      const now = await this.status();
      if (now.instance.state === "stopped") return { ...now, status: "info" as const };
      if (now.instance.state !== "running") throw unactionable("stopped", now.instance);
      await this.call((provider) => provider.stop());
      await endSession(trx, now.instance.instance_id);
      return { ...now, status: "success" as const };
    });
    if (before.status === "info") return before;
    return { ...before, instance: await this.call((provider) => provider.describe()) };
  }

  async specs(): Promise<Readonly<Record<string, string | number>>> {
    const own = await this.call((provider) => provider.specs());
    return { ...own, hourly_rate: this.deps.perHour, storage_gb: STORAGE_GB };
  }

  /** A session that was started elsewhere counts from the provider's start time. */
  private async session(instance: Instance): Promise<Session | undefined> {
    const { db, clock, perHour } = this.deps;
    const started_at = (await sessionStart(db, instance.instance_id)) ?? instance.launched_at;
    if (!started_at) return undefined;
    const now = clock.now();
    return {
      started_at,
      runtime_seconds: Math.max(0, Math.round((now.getTime() - started_at.getTime()) / 1000)),
      cost: estimateCost(perHour, started_at, now),
    };
  }

  /** One change at a time, so that each reads the state that the previous one left. */
  private exclusively<T>(change: (trx: Db) => Promise<T>): Promise<T> {
    return this.deps.db.transaction(async (trx) => {
      if (await lockInstance(trx)) return change(trx);
      const message = "Another request is starting or stopping the instance; try again.";
      throw new DomainError("simulation_refused", message);
    });
  }

  private provider(): SimulationProvider {
    const { provider } = this.deps;
    if (provider) return provider;
    throw new DomainError(
      "simulation_refused",
      "There is no simulation instance: SIMULATION_PROVIDER is none.",
    );
  }

  private async call<T>(request: (provider: SimulationProvider) => Promise<T>): Promise<T> {
    const provider = this.provider();
    try {
      return await request(provider);
    } catch (cause) {
      if (isDomainError(cause)) throw cause;
      throw new DomainError("simulation_refused", "The simulation instance's provider failed.", { cause });
    }
  }
}

const unactionable = (what: string, { state }: Instance) =>
  new DomainError("simulation_refused", `The instance is ${state} and cannot be ${what} now.`);
