/** What the contract profile lets happen in the gateway; told at its start. */
export const relaxedRules = [
  "any signed-in user may watch any drone's telemetry",
  "a drone's address is believed from any caller's headers",
  "a logout holds in this process only, and not for sockets",
] as const;
