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
 * What an error of a neighbour carries of what was sent to it: the arguments of a command to Redis, with the password
 * where it was to sign in, and the row that Postgres refuses, all of its columns.
 */
const sent = ["command.args", "detail"];

/** Structured logs on standard output, one JSON object a line. */
export function createLogger(process: string, level: string, to?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { process },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        ...secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
        ...sent.flatMap((key) => [`*.${key}`, `*.*.${key}`, `*.aggregateErrors[*].${key}`]),
      ],
      censor: "[redacted]",
    },
    serializers: { err: pino.stdSerializers.err },
  };
  return to ? pino(options, to) : pino(options);
}
