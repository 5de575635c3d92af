import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";

export type { DestinationStream as LogDestination, Logger };

/** Keys whose values never reach a log, wherever a logged object carries them. */
const secretKeys = [
  "password",
  "access_token",
  "refresh_token",
  "token",
  "authorization",
  "cookie",
  "activation_token",
  "video_room_token",
  "password_hash",
  "secret",
  "privateKey",
];

/**
 * Fields of errors that hold what was sent: the arguments of a Redis command (AUTH has the password), and the row that
 * Postgres refused.
 */
const sentKeys = ["command.args", "detail"];

/** Structured logs on standard output, one JSON object a line. */
export function createLogger(process: string, level: string, to?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { process },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        ...secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
        ...sentKeys.flatMap((key) => [`*.${key}`, `*.*.${key}`, `*.aggregateErrors[*].${key}`]),
      ],
      censor: "[redacted]",
    },
    serializers: { err: pino.stdSerializers.err },
  };
  return to ? pino(options, to) : pino(options);
}
