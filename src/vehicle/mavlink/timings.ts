import type { CommandTimings } from "./commands/commands";
import type { ModeTimings } from "./commands/mode-orders";
import type { PreconditionTimings } from "./commands/preconditions";
import type { RepositionTimings } from "./commands/reposition";
import type { PlanTimings } from "./missions/plans";
import type { Retry } from "./wire/exchange";

export interface MavlinkTimings {
  readonly command: CommandTimings;
  readonly param: Retry;
  readonly plan: PlanTimings;
  readonly flight: ModeTimings & RepositionTimings & PreconditionTimings;
  /** A vehicle that sends no heartbeat for this long is gone, whatever TCP reports. */
  readonly heartbeatTimeoutMs: number;
}

/**
 * Five tries bear a link that loses a tenth of its frames each way (one exchange in 3,500 fails). An order that is not
 * acknowledged ends within six seconds.
 */
export const DEFAULT_TIMINGS: MavlinkTimings = {
  command: {
    timeoutMs: 900,
    attempts: 5,
    timesyncMs: 300,
    settleMs: 300,
    progressMs: 30_000,
    statusTextMs: 700,
  },
  param: { timeoutMs: 1000, attempts: 5 },
  plan: { timeoutMs: 1500, attempts: 6, verdictMs: 1000, messageMs: 1500 },
  flight: {
    modeMs: 3500,
    messageMs: 1500,
    setpointAttempts: 3,
    targetMs: 1000,
    objectionMs: 1000,
    touchdownMs: 2500,
  },
  heartbeatTimeoutMs: 10_000,
};
