/** Time is an argument: whoever needs "now" is given a clock. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
