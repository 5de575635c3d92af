import { strings } from "../../../strings";

const text = strings.fly.sticks.closed;

export interface Closing {
  /** What it means to the pilot. */
  readonly text: string;
  /** again: after a moment. anew: with a new access token. */
  readonly next: "stop" | "again" | "anew";
}

/** The relay's close codes, as `docs/relay.md` has them. */
const closings: Readonly<Record<number, Closing>> = {
  1002: { text: text.invalid, next: "stop" },
  1003: { text: text.invalid, next: "stop" },
  1007: { text: text.invalid, next: "stop" },
  1008: { text: text.invalid, next: "stop" },
  1009: { text: text.invalid, next: "stop" },
  1012: { text: text.restarts, next: "again" },
  1013: { text: text.unavailable, next: "again" },
  4401: { text: text.unauthorized, next: "anew" },
  4403: { text: text.forbidden, next: "stop" },
  4404: { text: text.notFound, next: "stop" },
  4429: { text: text.quota, next: "stop" },
};

/** What follows from a close code. Another code is a connection that broke off. */
export const closingOf = (code: number): Closing => closings[code] ?? { text: text.lost, next: "again" };
