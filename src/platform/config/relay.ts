import { z } from "zod";
import { port, positiveInt, requires, seconds, secret } from "./fields";
import { quotaGroup } from "./quotas";
import { accessGroup, directDatabaseGroup, httpLimitsGroup, processGroup, redisGroup } from "./shared";

export const relayConfig = z
  .object({
    ...processGroup,
    ...accessGroup,
    RELAY_PORT: port(7070, "WebSockets of pilots."),
    ...directDatabaseGroup,
    ...redisGroup,
    JWT_SECRET: secret("Signs every token. At least 32 characters.", 32).optional(),
    RELAY_MAX_SESSIONS: positiveInt(5_000, "Pilots' sessions in one process at once."),
    ...quotaGroup("relay_sessions"),
    ...httpLimitsGroup,
    RELAY_PING_SECONDS: seconds(
      10,
      "Interval of pings. A client that leaves a ping unanswered until the next one is disconnected.",
    ),
  })
  .refine(...requires("JWT_SECRET", { ACCESS_PROFILE: "strict" }));
export type RelayConfig = z.infer<typeof relayConfig>;
