import { setTimeout as delay } from "node:timers/promises";
import { isDomainError } from "../../../domain/errors";
import type { Calls } from "../../calls";
import type { VehicleIdentity } from "../../link";
import { HealthReport } from "../events/health-report";
import type { VehicleState } from "../state";
import type { StatusTexts } from "../status-text";
import type { Channel } from "../wire/channel";
import { Command, type Commands, type CommandTimings, MavResult } from "./commands";

/** Of ArduPilot's checks, and of PX4's that prevent arming: its others are "Preflight: …". */
const PREFIX = /^(Pre)?Arm: |^Preflight Fail: /;

const withoutPrefix = (text: string): string => text.replace(PREFIX, "").toLowerCase();

/** Why a vehicle cannot be armed. */
export class Preflight implements Pick<Calls, "preflightFailures"> {
  constructor(
    private readonly channel: Channel,
    private readonly vehicle: VehicleIdentity,
    private readonly commands: Commands,
    private readonly state: VehicleState,
    private readonly texts: StatusTexts,
    private readonly timings: Pick<CommandTimings, "statusTextMs" | "settleMs">,
  ) {}

  /**
   * The failed checks in the vehicle's words, as they are now; empty when it may be armed, or does not tell. PX4 says by
   * itself only what has changed, and repeats all of it as events and status texts when it is asked to run its checks.
   */
  async preflightFailures(): Promise<string[]> {
    const { commands, state, timings } = this;
    const report = new HealthReport(this.channel);
    const texts = this.texts.record((text) => PREFIX.test(text));
    try {
      const asked = commands.send("run its preflight checks", Command.RUN_PREARM_CHECKS, [], {
        repeat: "always",
      });
      if ((await asked).code !== MavResult.accepted) return [];
      if (this.vehicle.autopilot === "px4") await report.reported(timings.statusTextMs);
      else await texts.explained(timings.statusTextMs);
      // The texts come one after the other.
      if (!report.isWhole) await delay(timings.settleMs);
      const said = texts.grave;
      return report.isWhole || said.length === 0 ? report.failures(state.customMode) : said;
    } catch (error) {
      if (!isDomainError(error)) throw error;
      return [];
    } finally {
      texts.stop();
      report.stop();
    }
  }

  /** The vehicle's reasons when it refused to be armed, and the failed checks beside them. */
  async explain(said: readonly string[]): Promise<string[]> {
    const known = new Set(said.map(withoutPrefix));
    return [...said, ...(await this.preflightFailures()).filter((text) => !known.has(withoutPrefix(text)))];
  }
}
