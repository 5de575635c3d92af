import type { Channel } from "../wire/channel";
import { Event } from "../wire/messages";
import { hasMode, type PreflightCheck, preflightCheck, px4EventId } from "./preflight-check";

/** commander_arming_check_summary, with which a report begins. */
const ARMING_SUMMARY = 11_047_904;
/** The modes in which it may be armed, after the chunk (u8), the errors and the warnings (u32 each). */
const CAN_ARM_AT = 9;
/** commander_health_summary, with which it ends. */
const HEALTH_SUMMARY = 1_914_663;
/** MAV_SEVERITY_ERROR. */
const ERROR = 3;

/** What PX4 reports of its health and arming checks from now on: the events from one summary to the other. */
export class HealthReport {
  private incoming: Event[] = [];
  private events: readonly Event[] = [];
  private onReport: (() => void) | undefined;
  private readonly stopListening: () => void;

  constructor(channel: Channel) {
    this.stopListening = channel.on(Event, (event) => this.receive(event));
  }

  /** Resolves when a report has come, or after that time. */
  reported(withinMs: number): Promise<void> {
    if (this.events.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.onReport = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Whether the report came without a lost event, and the table has all its events. */
  get isWhole(): boolean {
    const [first, last] = [this.events[0], this.events.at(-1)];
    if (!first || !last) return false;
    const sent = ((last.sequence - first.sequence) & 0xffff) + 1;
    return sent === this.events.length && this.checks.length === this.events.length - 2;
  }

  /**
   * The checks that prevent arming in this mode. A check whose modes include one that can be armed prevents none. Where that
   * does not tell, the errors count, or all failed checks when there is no error.
   */
  failures(customMode: number): string[] {
    const [summary] = this.events;
    if (!summary) return [];
    const canArm = Buffer.from(summary.arguments).readUInt32LE(CAN_ARM_AT);
    if (hasMode(canArm, customMode)) return [];
    const failed = this.checks.filter(
      ({ modes }) => hasMode(modes, customMode) !== false && (modes & canArm) === 0,
    );
    const errors = failed.filter(({ severity }) => severity <= ERROR);
    return (errors.length > 0 ? errors : failed).map(({ text }) => text);
  }

  stop(): void {
    this.stopListening();
  }

  private get checks(): PreflightCheck[] {
    return this.events.slice(1, -1).flatMap((event) => preflightCheck(event) ?? []);
  }

  private receive(event: Event): void {
    const id = px4EventId(event);
    if (id === ARMING_SUMMARY) this.incoming = [event];
    else if (this.incoming.length > 0) this.incoming.push(event);
    if (id !== HEALTH_SUMMARY || this.incoming.length === 0) return;
    this.events = this.incoming;
    this.incoming = [];
    this.onReport?.();
  }
}
