/** What to do about a variable that an earlier release read. */
interface RetiredVariable {
  /** The variable or argument that took its place; absent where a constant did. */
  readonly now?: string;
  /**
   * Why a process that ignored it would be unsafe: it refuses to start. Without this it starts and warns, because a limit
   * that falls back to its default is better than an upgrade that stops the service.
   */
  readonly unsafe?: string;
}

const ONE_AFTER = "drones would dial a closed port; Redis is EDGE_PORT + 1, the object store EDGE_PORT + 2";
const ANOTHER_VEHICLE =
  "it is host:port; without it the agent would send sticks to the vehicle at 127.0.0.1:5760";

/** Every variable that was renamed or removed since 0.1.0. */
export const retiredVariables: Readonly<Record<string, RetiredVariable>> = {
  BODY_LIMIT_BYTES: {},
  DOWNLOAD_URL_SECONDS: {},
  ECR_ENDPOINT: { now: "AWS_ENDPOINT_URL_ECR" },
  EC2_REGION: { now: "AWS_REGION" },
  EDGE_MAX_CONNECTIONS_PER_DRONE: {},
  EDGE_OBJECTS_PORT: { now: "EDGE_PORT", unsafe: ONE_AFTER },
  EDGE_REDIS_PORT: { now: "EDGE_PORT", unsafe: ONE_AFTER },
  EDGE_TIMEOUT_SECONDS: {},
  FFMPEG_PATH: {},
  GATEWAY_PEER_URL: { now: "GATEWAY_PEER_HOST" },
  GENERATED_SECRETS: { now: "an argument of admin make-secrets" },
  HTTP_HEADERS_SECONDS: {},
  HTTP_MAX_UNREAD_BYTES: {},
  HTTP_MAX_UNREAD_BYTES_PER_CALLER: {},
  HTTP_REPLY_STALL_SECONDS: {},
  HUB_LEASE_DEADLINE_SECONDS: { now: "HUB_LEASE_DURATION_SECONDS" },
  HUB_LEASE_RETRY_SECONDS: { now: "HUB_LEASE_DURATION_SECONDS" },
  HUB_LEASE_NAMESPACE: {},
  HUB_REDIS_URL: {},
  HUB_TERM_PATH: {
    now: "HUB_LEASE_PATH",
    unsafe: "the guard would not read the file in which the daemon writes when the lease expires",
  },
  JUMPHOST_CONNECT_TIMEOUT_MS: {},
  JUMPHOST_IDLE_SECONDS: {},
  JUMPHOST_MAX_BUFFERED_BYTES: {},
  JUMPHOST_MAX_FRAME_BYTES: {},
  JUMPHOST_MAX_PIPES: {},
  JUMPHOST_MAX_PIPES_PER_VEHICLE: {},
  JUMPHOST_PING_SECONDS: {},
  JUMPHOST_SIMULATOR_HOSTS: { now: "SIMULATOR_HOSTS" },
  LINK_IDLE_SECONDS: {},
  LINK_LEASE_MS: {},
  MAILS_PER_HOUR: { now: "QUOTA_REQUESTED_MAILS" },
  MAVLINK_ROUTER_IMAGE: { now: "the image of admin publish-compose --image" },
  MIGRATE_WAIT_SECONDS: {},
  OBJECTS_WAIT_SECONDS: {},
  ONBOARD_IMAGE: { now: "the argument --image of admin publish-compose" },
  ONBOARD_VEHICLE_HOST: { now: "ONBOARD_VEHICLE", unsafe: ANOTHER_VEHICLE },
  ONBOARD_VEHICLE_PORT: { now: "ONBOARD_VEHICLE", unsafe: ANOTHER_VEHICLE },
  RELAY_DATABASE_POOL_MAX: {},
  RELAY_MAX_BUFFERED_BYTES: {},
  RELAY_MAX_SESSIONS_PER_DRONE: { now: "QUOTA_RELAY_SESSIONS" },
  RELAY_REDIS_STALL_MS: {},
  SECRETS_NAMESPACE: {},
  SETUP_WAIT_SECONDS: {},
  SIMULATED_LINK_HOST: { now: "SIMULATOR_HOSTS" },
  SIMULATED_LINK_PORT: { now: "SIMULATOR_PORT" },
  SIMULATION_NAMESPACE: {},
  SIMULATION_PORT: { now: "SIMULATOR_PORT" },
  SIMULATION_STORAGE_GB: {},
  SIMULATION_STORAGE_GB_MONTH_RATE: {},
  SIMULATION_TRANSFER_GB_PER_HOUR: {},
  SIMULATION_TRANSFER_GB_RATE: {},
  SIMULATOR_HOST: { now: "HOST" },
  TELEMETRY_MAX_SOCKETS_PER_USER: { now: "QUOTA_SOCKETS" },
  TELEMETRY_MAX_STREAMS: {},
  UPLOAD_URL_SECONDS: {},
};

interface RetiredFindings {
  readonly warnings: readonly string[];
  readonly faults: readonly string[];
}

/** Name each retired variable that this environment still sets, with the variable to use instead. Never a value. */
export function findRetired(
  env: Readonly<Record<string, string | undefined>>,
  table: Readonly<Record<string, RetiredVariable>> = retiredVariables,
): RetiredFindings {
  const warnings: string[] = [];
  const faults: string[] = [];
  for (const [name, { now, unsafe }] of Object.entries(table)) {
    if (!env[name] && !env[`${name}_FILE`]) continue;
    const advice = now ? `${name} is now ${now}` : `${name} was removed and has no effect`;
    if (unsafe) faults.push(`${advice}: ${unsafe}`);
    else warnings.push(advice);
  }
  return { warnings, faults };
}
