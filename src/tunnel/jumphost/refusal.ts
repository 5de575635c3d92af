import type { Duplex } from "node:stream";

/** Why no pipe is opened; a label of the metrics and `reason` of the reply. */
export type RefusalReason =
  | "malformed"
  | "unauthenticated"
  | "not_allowed"
  | "deposed"
  | "too_many_to_vehicle"
  | "too_many"
  | "stopping"
  | "standby"
  | "unreachable"
  | "timeout";

const statuses: Readonly<Record<RefusalReason, string>> = {
  malformed: "400 Bad Request",
  unauthenticated: "401 Unauthorized",
  not_allowed: "403 Forbidden",
  deposed: "409 Conflict",
  too_many_to_vehicle: "429 Too Many Requests",
  too_many: "503 Service Unavailable",
  stopping: "503 Service Unavailable",
  standby: "503 Service Unavailable",
  unreachable: "502 Bad Gateway",
  timeout: "504 Gateway Timeout",
};

/** The message is public: it is the reply's `error`. */
export class Refusal extends Error {
  constructor(
    readonly reason: RefusalReason,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = "Refusal";
  }
}

/** Answers an upgrade with the refusal's status and `{error, reason}`. */
export function refuse(socket: Duplex, { reason, message }: Refusal): void {
  const body = JSON.stringify({ error: message, reason });
  socket.end(
    `HTTP/1.1 ${statuses[reason]}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
