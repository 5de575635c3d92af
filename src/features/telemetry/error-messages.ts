type Value = number | string;

/** What the event `error` says. */
interface ErrorMessage {
  readonly text: (...values: Value[]) => string;
  /** What stands for the arguments of `text` in the description. */
  readonly placeholders?: readonly string[];
  /** When it comes, and what follows. */
  readonly when: string;
  /** Whether the server disconnects the socket afterwards. */
  readonly disconnects: boolean;
}

export const errorMessages = {
  no_token: {
    text: () => "Connect with the query parameter token=<access token>.",
    when: "The handshake has no token.",
    disconnects: true,
  },
  invalid_token: {
    text: () => "The token is not a valid access token; it may have expired.",
    when: "The handshake's token is of another kind, forged or expired. Connect with a new one.",
    disconnects: true,
  },
  unchecked_token: {
    text: () => "The token cannot be checked just now; try again shortly.",
    when: "Profile `strict`: the database does not answer. Connect again in a moment.",
    disconnects: true,
  },
  /** The text is the account check's. */
  revoked_token: {
    text: (reason: Value) => `${reason}`,
    placeholders: ["{reason}"],
    when: "Profile `strict`, at the handshake or later: the token was logged out, or its user has a new password, may not sign in any more or does not exist any more. Sign in again.",
    disconnects: true,
  },
  invalid_request: {
    text: (faults: Value) => `${faults}`,
    placeholders: ["{field}: {fault}; {field}: {fault}"],
    when: "The payload of a request does not fit. The request has no effect.",
    disconnects: false,
  },
  too_many_requests: {
    text: () => "Too many requests at once.",
    when: "As many requests of the socket wait as may. The request is dropped.",
    disconnects: false,
  },
  too_many_streams: {
    text: (most: Value) => `A socket may watch ${most} streams at most.`,
    placeholders: ["{limit}"],
    when: "The socket watches as many streams as it may. The subscription is refused.",
    disconnects: false,
  },
  unknown_drone: {
    text: (droneId: Value) => `There is no drone ${droneId} that you may watch.`,
    placeholders: ["{drone_id}"],
    when: "The drone does not exist, or is another user's (profile `strict`). The subscription is refused.",
    disconnects: false,
  },
  /** The text is the address check's. */
  undialable_drone: {
    text: (reason: Value) => `${reason}`,
    placeholders: ["{reason}"],
    when: "The drone has no VPN address, or its simulator is not allowed. The subscription is refused.",
    disconnects: false,
  },
  failed_request: {
    text: () => "Something went wrong on our side.",
    when: "The database does not answer, for example. Send the request again.",
    disconnects: false,
  },
  unreachable_drone: {
    text: (droneId: Value, why: Value) =>
      `Drone ${droneId} cannot be reached just now${why}; its telemetry comes when it answers.`,
    placeholders: ["{drone_id}", " ({reason})"],
    when: "The drone does not answer when it is subscribed, or its link is lost later. The subscription stays.",
    disconnects: false,
  },
  revoked_drone: {
    text: (droneId: Value) => `Drone ${droneId} was deleted or has another owner; it is no longer watched.`,
    placeholders: ["{drone_id}"],
    when: "The drone was deleted or has another owner. All its subscriptions end.",
    disconnects: false,
  },
  closed_link: {
    text: (droneId: Value) => `The connection to drone ${droneId} was closed; subscribe again to watch it.`,
    placeholders: ["{drone_id}"],
    when: "The drone's owner closed its connection. All its subscriptions end.",
    disconnects: false,
  },
} as const satisfies Readonly<Record<string, ErrorMessage>>;

/** Each message as an example of the event, with placeholders. */
export const errorExamples = Object.entries<ErrorMessage>(errorMessages).map(
  ([name, { text, placeholders = [], when, disconnects }]) => ({
    name,
    summary: `${when} The socket ${disconnects ? "is disconnected" : "stays connected"}.`,
    payload: { message: text(...placeholders) },
  }),
);
