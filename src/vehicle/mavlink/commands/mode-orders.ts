import { DomainError, isDomainError } from "../../../domain/errors";
import type { Calls } from "../../calls";
import type { Acknowledgement, VehicleIdentity } from "../../link";
import type { Plans } from "../missions/plans";
import { fliesMission, type Mode, modeName, resolveMode, setModeParams } from "../modes";
import { isNoResponse, notSentAfter, orderUnanswered } from "../no-response";
import type { VehicleState } from "../state";
import type { Channel } from "../wire/channel";
import { accepted, Command, type Commands, refusal } from "./commands";

export interface ModeTimings {
  /** How long a heartbeat with the new mode may take: they come once a second. */
  readonly modeMs: number;
  /** How long the answer to a requested message may take. */
  readonly messageMs: number;
}

/** The orders that change a vehicle's mode, and what becomes of the mode when such an order is refused. */
export class ModeOrders implements Pick<Calls, "setMode" | "land"> {
  /** Orders so far that change the mode, to distinguish a mode that was replaced from one that was refused. */
  private count = 0;

  constructor(
    private readonly channel: Channel,
    private readonly vehicle: VehicleIdentity,
    private readonly commands: Commands,
    private readonly state: VehicleState,
    private readonly timings: ModeTimings,
    /** Asked before a mode that flies the mission. */
    private readonly plans?: Pick<Plans, "assertWhole">,
  ) {}

  /** Resolves when the vehicle shows the mode. Rejects with `conflict` when it would fly parts of two missions. */
  async setMode(mode: string | number): Promise<Acknowledgement & { mode: string }> {
    const { name, customMode } = resolveMode(this.vehicle, mode);
    if (fliesMission(this.vehicle, customMode)) await this.plans?.assertWhole();
    this.count += 1;
    const mine = this.count;
    const acknowledgement = await this.enter({ name, customMode });
    if (await this.shows(`enter the mode ${name}`, customMode)) return { ...acknowledgement, mode: name };
    // Heartbeats come once a second: a mode that another order ended at once was never seen in one.
    throw mine === this.count
      ? new DomainError(
          "vehicle_timeout",
          `The vehicle acknowledged the mode ${name} but still reports ${this.state.mode}. It may enter it yet: look at the vehicle.`,
        )
      : new DomainError(
          "conflict",
          `The vehicle took the mode ${name} and then another order; it is in ${this.state.mode} now.`,
        );
  }

  /** Where it is, by its mode: the vehicle shows that it entered it. */
  async land(): Promise<Acknowledgement & { mode: string }> {
    if (this.vehicle.kind === "rover") throw new DomainError("not_supported", "A rover does not land.");
    return this.setMode("LAND");
  }

  /** Whether a heartbeat shows the mode that an order led to. Rejects with `outcome_unknown` without a heartbeat. */
  shows(action: string, customMode: number): Promise<boolean> {
    return this.showsThat(action, () =>
      this.state.modeBecomes(customMode, this.commands, this.timings.modeMs),
    );
  }

  /** Rejects with `vehicle_refused` in another mode: PX4 acknowledges an order that its failsafe then overrules. */
  async assertShows(action: string, mode: string): Promise<void> {
    const { customMode } = resolveMode(this.vehicle, mode);
    if (await this.shows(action, customMode)) return;
    throw refusal(action, "after MAV_RESULT_ACCEPTED", [`it stays in ${this.state.mode}`]);
  }

  /** Whether the vehicle's reports show that it obeyed. Rejects with `outcome_unknown` when it reports nothing. */
  async showsThat(action: string, obeyed: () => Promise<boolean>): Promise<boolean> {
    try {
      if (await obeyed()) return true;
      this.channel.assertOpen();
      return false;
    } catch (error) {
      throw isNoResponse(error) ? orderUnanswered(action, error) : error;
    }
  }

  /**
   * To be called before an order that changes the mode, by itself or by `enterGuided`. Returns what to do when the order
   * rejects: after a refusal the mode that was there is entered again, and the error says what the mode is then.
   */
  begin(): (error: unknown) => Promise<never> {
    const before = this.state.customMode;
    this.count += 1;
    const mine = this.count;
    return async (error) => {
      if (!isDomainError(error) || error.code !== "vehicle_refused" || mine !== this.count) throw error;
      throw await this.restored(before, error);
    };
  }

  /** Before an order that needs guided mode. An unanswered mode change rejects with "the order was not sent". */
  async enterGuided(action: string): Promise<void> {
    const guided = resolveMode(this.vehicle, "GUIDED");
    if (this.state.customMode === guided.customMode) return;
    await this.enter(guided).catch((error: unknown) => {
      const isUnknown = isDomainError(error) && error.code === "outcome_unknown";
      throw isUnknown ? notSentAfter(action, `enter the mode ${guided.name}`, error) : error;
    });
  }

  private enter({ name, customMode }: Mode): Promise<Acknowledgement> {
    const params = setModeParams(this.vehicle, customMode);
    return accepted(this.commands.send(`enter the mode ${name}`, Command.DO_SET_MODE, params));
  }

  /** The refusal, with the mode that the vehicle is then in. */
  private async restored(before: number, refused: DomainError): Promise<DomainError> {
    const name = modeName(this.vehicle, before);
    try {
      await this.state.refresh(this.commands, this.timings.messageMs);
      if (this.state.customMode === before) return refused;
      await this.enter({ name, customMode: before });
      if (await this.shows(`enter the mode ${name}`, before))
        return new DomainError(refused.code, `${refused.message} It is in the mode ${name}, as before.`);
    } catch (error) {
      if (!isDomainError(error)) throw error;
    }
    const now = `It was in the mode ${name}, could not be put back, and last reported ${this.state.mode}.`;
    return new DomainError(refused.code, `${refused.message} ${now}`);
  }
}
