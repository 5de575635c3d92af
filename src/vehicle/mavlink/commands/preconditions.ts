import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../../domain/errors";
import type { VehicleIdentity } from "../../link";
import type { VehicleState } from "../state";
import { type Commands, refusal } from "./commands";

/** How often a vehicle that was landing is asked whether it still flies. */
const AGAIN_MS = 200;

export interface PreconditionTimings {
  /** How long the answer to a requested message may take. */
  readonly messageMs: number;
  /** How long after its touch ArduPilot may take to report that it has landed. */
  readonly touchdownMs: number;
}

/** What must be so before an order is sent: an order that cannot be carried out rejects with `conflict`. */
export class Preconditions {
  private motorTestEnds = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly vehicle: VehicleIdentity,
    private readonly commands: Commands,
    private readonly state: VehicleState,
    private readonly timings: PreconditionTimings,
  ) {}

  /** Meanwhile ArduPilot reports that it is armed, and accepts to be armed without being it afterwards. */
  get isTestingMotor(): boolean {
    return this.motorTestEnds > performance.now();
  }

  motorTestBegan(seconds: number): void {
    this.motorTestEnds = performance.now() + seconds * 1000;
  }

  async assertArmed(action: string): Promise<void> {
    if (this.isTestingMotor) throw notSent(action, "a motor test runs");
    const armed = await this.state.checkArmed(false, this.commands, this.timings.messageMs);
    if (!armed) throw notSent(action, "it is not armed");
  }

  /**
   * For orders to go to a position: PX4 takes off for them, and ArduPilot accepts them and stays on the ground. Returns
   * whether ArduPilot is landing: `assertStillFlying` must follow the order then.
   */
  async assertUnderWay(action: string): Promise<boolean> {
    await this.assertArmed(action);
    const { autopilot, kind } = this.vehicle;
    if (autopilot !== "ardupilot" || kind !== "copter") return false;
    if ((await this.isFlying()) === false)
      throw notSent(action, "it is on the ground; let it take off first");
    return this.state.isLanding;
  }

  /** Rejects with `vehicle_refused` when the vehicle, which was landing, had touched the ground already. */
  async assertStillFlying(action: string): Promise<void> {
    const until = performance.now() + this.timings.touchdownMs;
    while (performance.now() < until) {
      if ((await this.isFlying()) === false)
        throw refusal(action, "after it was accepted", ["it has just landed; let it take off first"]);
      await delay(AGAIN_MS);
    }
  }

  /** Undefined when the vehicle does not say. */
  isFlying(): Promise<boolean | undefined> {
    return this.state.isFlying(this.commands, this.timings.messageMs);
  }
}

export const notSent = (action: string, why: string): DomainError =>
  new DomainError(
    "conflict",
    `The order to ${action} was not sent to the vehicle: ${why.replace(/\.?$/, ".")}`,
  );
