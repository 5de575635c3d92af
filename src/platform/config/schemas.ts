import { z } from "zod";
import { parseSigningKey } from "../signing-key";
import { flag, list, port, positiveInt, secret, secretUrl } from "./fields";

/** Variables that several processes share, in groups. A process's schema is the groups it needs. */

const processGroup = {
  HOST: z.string().default("127.0.0.1").describe("Address to listen on."),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("Least severe level that is logged."),
  DEPLOYMENT: z
    .enum(["local", "production"])
    .default("production")
    .describe("`local` allows what only a laptop may: the contract profile on any address."),
  SHUTDOWN_DRAIN_SECONDS: positiveInt(20, "How long a stop waits for open work before it cuts."),
};

const accessGroup = {
  ACCESS_PROFILE: z
    .enum(["contract", "strict"])
    .default("contract")
    .describe(
      "How callers are told apart: `contract` as the published contract has it, `strict` for production.",
    ),
  TRUSTED_PROXIES: list(
    "Addresses or CIDRs whose X-Forwarded-For is believed for logs and rate limits, comma separated; `loopback`, `linklocal` and `uniquelocal` are names for theirs.",
  ),
};

const databaseGroup = {
  DATABASE_URL: secretUrl("Postgres, possibly through a pooler."),
  DATABASE_POOL_MAX: positiveInt(20, "Most connections this process opens to Postgres."),
};

const directDatabaseGroup = {
  DATABASE_URL: secretUrl("Postgres, possibly through a pooler."),
  DATABASE_DIRECT_URL: secretUrl(
    "Postgres without a pooler, for LISTEN, jobs and migrations. DATABASE_URL when absent.",
  ).optional(),
};

const redisGroup = { REDIS_URL: secretUrl("Redis.") };

const mailGroup = {
  SMTP_URL: secretUrl("SMTP server, such as smtp://user:password@mail.example.com:587."),
  MAIL_FROM: z.string().default("Fleet Gateway <fleet@localhost>").describe("Sender of every mail."),
  PUBLIC_ORIGIN: z
    .url()
    .default("http://localhost:8080")
    .describe("Origin of the web client; links in mails begin with it."),
};

const objectsGroup = {
  S3_ENDPOINT: z
    .url()
    .optional()
    .describe("S3-compatible store as this process reaches it; AWS when absent."),
  S3_PUBLIC_ENDPOINT: z
    .url()
    .optional()
    .describe("The store as users reach it, for presigned URLs. S3_ENDPOINT when absent."),
  S3_DRONE_ENDPOINT: z
    .url()
    .optional()
    .describe("The store as drones reach it, for presigned URLs. S3_PUBLIC_ENDPOINT when absent."),
  S3_REGION: z.string().default("us-east-1").describe("Region of the store."),
  S3_BUCKET: z.string().default("fleet").describe("Bucket of assets and archives."),
  S3_VPN_BUCKET: z
    .string()
    .default("fleet-vpn")
    .describe("Bucket of client configs, which hold private keys."),
  S3_ACCESS_KEY_ID: secret("Access key; the SDK's own chain when absent.").optional(),
  S3_SECRET_ACCESS_KEY: secret("Secret key.").optional(),
};

const assetsGroup = {
  UPLOAD_URL_SECONDS: positiveInt(3_600, "How long a presigned upload URL works."),
  DOWNLOAD_URL_SECONDS: positiveInt(3_600, "How long a presigned download URL works."),
  ARCHIVE_SIGNING_KEY: z
    .string()
    .refine(
      (text) => parseSigningKey(text) !== undefined,
      "must be an Ed25519 private key, PEM or base64 PKCS #8",
    )
    .meta({
      description: "Ed25519 private key that signs archives' manifests. No archive is made without one.",
      secret: true,
    })
    .optional(),
};

const jobsGroup = {
  WORKER_CONCURRENCY: positiveInt(2, "Background jobs that one process does at once."),
  FFMPEG_PATH: z
    .string()
    .default("ffmpeg")
    .describe("ffmpeg, which packages videos. A process that cannot run it leaves those jobs to others."),
};

const billingGroup = {
  STRIPE_SECRET_KEY: secret(
    "Key of the payment provider's API. Without it nothing can be bought; see `admin grant-subscription`.",
  ).optional(),
  STRIPE_WEBHOOK_SECRET: secret(
    "Signs the payment provider's events. Without it they are refused, but with DEPLOYMENT=local believed.",
  ).optional(),
  STRIPE_API_BASE: z
    .url()
    .optional()
    .describe("Where the payment provider's API is reached; Stripe's own address when absent."),
  STRIPE_PRICE_ID: z
    .string()
    .optional()
    .describe(
      "Stripe's price of one vehicle; one of the BILLING_ variables' amount, currency and period when absent.",
    ),
  BILLING_PRICE_MINOR_UNITS: positiveInt(
    12_000,
    "Price of one vehicle for one period, in the currency's minor units. With STRIPE_PRICE_ID it is only shown.",
  ),
  BILLING_CURRENCY: z
    .string()
    .regex(/^[a-z]{3}$/)
    .default("eur")
    .describe("ISO 4217 code of the price's currency, lower case."),
  BILLING_PERIOD: z.enum(["month", "year"]).default("year").describe("What a payment is good for."),
};

const videoGroup = {
  JANUS_URL: z
    .url()
    .optional()
    .describe("Janus's HTTP API, such as http://janus:8088/janus. Without it there are no video rooms."),
  JANUS_API_SECRET: secret("Janus's `api_secret`, when it has one.").optional(),
  JANUS_ADMIN_KEY: secret("`admin_key` of Janus's VideoRoom plugin, when it has one.").optional(),
};

const amount = (defaultValue: number, description: string) =>
  z.coerce.number().min(0).default(defaultValue).describe(description);

const simulationGroup = {
  SIMULATION_PROVIDER: z
    .enum(["process", "kubernetes", "ec2", "none"])
    .default("none")
    .describe("What runs the simulation instance: a child process, a StatefulSet, an EC2 instance, nothing."),
  SIMULATION_PORT: port(5790, "`process`: TCP port of its first vehicle."),
  SIMULATION_NAMESPACE: z.string().default("default").describe("`kubernetes`: the StatefulSet's namespace."),
  SIMULATION_STATEFULSET: z
    .string()
    .default("simulator")
    .describe("`kubernetes`: the StatefulSet that is scaled between 0 and 1."),
  EC2_INSTANCE_ID: z.string().optional().describe("`ec2`: the instance that is started and stopped."),
  EC2_REGION: z.string().default("us-east-1").describe("`ec2`: its region."),
  EC2_ENDPOINT: z.url().optional().describe("`ec2`: where its API is reached; AWS's own when absent."),
  SIMULATION_HOURLY_RATE: amount(0.95, "Price of a running hour, for the cost estimate."),
  SIMULATION_STORAGE_GB: amount(30, "Gigabytes of the instance's disk, for the cost estimate."),
  SIMULATION_STORAGE_GB_MONTH_RATE: amount(0.08, "Price of a gigabyte kept for a month."),
  SIMULATION_TRANSFER_GB_PER_HOUR: amount(0.5, "Gigabytes a running hour is expected to send."),
  SIMULATION_TRANSFER_GB_RATE: amount(0.09, "Price of a gigabyte sent."),
};

const vehicleGroup = {
  MAVLINK_SYSTEM_ID: z.coerce
    .number()
    .int()
    .min(1)
    .max(254)
    .default(245)
    .describe(
      "Our MAVLink system id; never 255, whose heartbeats would mask a vehicle's ground-station failsafe.",
    ),
  JUMPHOST_URL: z
    .url()
    .optional()
    .describe("WebSocket of the jumphost through which physical drones are dialled; direct TCP when absent."),
  SIMULATED_LINK_HOST: z
    .string()
    .default("127.0.0.1")
    .describe("Where a simulated drone is dialled that names no host of its own."),
  SIMULATED_LINK_PORT: port(5760, "TCP port of a simulated drone that names none."),
  SIMULATOR_HOSTS: list(
    "Hosts, comma separated, that API callers may name as a simulated drone's `link_host`, at any port. With DEPLOYMENT=local any host.",
  ),
  TUNNEL_API_SECRET: secret("Bearer secret of the jumphost and the tunnel's status API.", 16).optional(),
  LINK_CONNECT_TIMEOUT_MS: positiveInt(5_000, "Longest wait for a vehicle's link to be ready."),
  LINK_IDLE_SECONDS: positiveInt(60, "A link that nobody uses or watches is closed after this long."),
  TELEMETRY_MAX_HZ: positiveInt(10, "Most frames per second of one stream that reach a watcher."),
  DO_UNSUBSCRIBE: flag(true, "Whether the last watcher's leaving stops the vehicle's stream."),
};

export const gatewayConfig = z
  .object({
    ...processGroup,
    ...accessGroup,
    GATEWAY_PORT: port(8080, "HTTP API and Socket.IO."),
    GATEWAY_DRONE_PORT: port(8081, "Drone-only HTTP port of the strict profile."),
    EDGE_SECRET: secret(
      "Shared secret that the tunnel's edge presents on the drone-only port.",
      16,
    ).optional(),
    ...databaseGroup,
    ...directDatabaseGroup,
    ...redisGroup,
    JWT_SECRET: secret("Signs every token. At least 32 characters.", 32),
    ENABLE_REGISTRATION: flag(true, "Whether people may register themselves."),
    ...mailGroup,
    ...objectsGroup,
    ...assetsGroup,
    WORKER_IN_PROCESS: flag(true, "Whether the gateway does background jobs itself, beside `cmd/worker`."),
    ...jobsGroup,
    ...billingGroup,
    ...videoGroup,
    ...simulationGroup,
    ...vehicleGroup,
    CORS_ORIGINS: list("Origins that browsers may call from, comma separated; `*` allows any."),
    BODY_LIMIT_BYTES: positiveInt(1_048_576, "Largest request body."),
    LOGIN_FAILURES_PER_15_MINUTES: z.coerce
      .number()
      .int()
      .min(0)
      .default(10)
      .describe("Failed logins or activations allowed per address and account; 0 turns the limit off."),
    MAILS_PER_HOUR: z.coerce
      .number()
      .int()
      .min(0)
      .default(5)
      .describe("Mails sent to one recipient on request; 0 turns the limit off."),
  })
  .refine(({ ACCESS_PROFILE, EDGE_SECRET }) => ACCESS_PROFILE !== "strict" || EDGE_SECRET !== undefined, {
    path: ["EDGE_SECRET"],
    message: "is required with ACCESS_PROFILE=strict",
    // Also beside other faults, so that all are reported at once.
    when: () => true,
  })
  .refine(
    ({ SIMULATION_PROVIDER, EC2_INSTANCE_ID }) =>
      SIMULATION_PROVIDER !== "ec2" || EC2_INSTANCE_ID !== undefined,
    { path: ["EC2_INSTANCE_ID"], message: "is required with SIMULATION_PROVIDER=ec2", when: () => true },
  );
export type GatewayConfig = z.infer<typeof gatewayConfig>;

export const relayConfig = z
  .object({
    ...processGroup,
    ...accessGroup,
    RELAY_PORT: port(7070, "WebSockets of pilots."),
    ...directDatabaseGroup,
    RELAY_DATABASE_POOL_MAX: z.coerce
      .number()
      .int()
      .min(2)
      .max(10)
      .default(10)
      .describe("Most connections the relay opens to Postgres, which its look-ups share."),
    ...redisGroup,
    JWT_SECRET: secret("Signs every token. At least 32 characters.", 32).optional(),
    RELAY_MAX_BUFFERED_BYTES: positiveInt(
      262_144,
      "Drop a client's oldest frames once this many bytes wait to be sent to it; as many may be on their way.",
    ),
    RELAY_REDIS_STALL_MS: positiveInt(
      1_000,
      "Sessions are closed when Redis has not taken a frame for this long; older sticks are worth nothing.",
    ),
    RELAY_PING_SECONDS: positiveInt(10, "A client that shows no sign of life between two pings is gone."),
  })
  .refine(({ ACCESS_PROFILE, JWT_SECRET }) => ACCESS_PROFILE !== "strict" || JWT_SECRET !== undefined, {
    path: ["JWT_SECRET"],
    message: "is required with ACCESS_PROFILE=strict",
  });
export type RelayConfig = z.infer<typeof relayConfig>;

export const tunnelConfig = z
  .object({
    ...processGroup,
    ...accessGroup,
    TUNNEL_PORT: port(5050, "Status API of the tunnel service."),
    TUNNEL_API_SECRET: vehicleGroup.TUNNEL_API_SECRET,
    ...directDatabaseGroup,
    S3_ENDPOINT: objectsGroup.S3_ENDPOINT,
    S3_REGION: objectsGroup.S3_REGION,
    S3_VPN_BUCKET: objectsGroup.S3_VPN_BUCKET,
    S3_ACCESS_KEY_ID: objectsGroup.S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY: objectsGroup.S3_SECRET_ACCESS_KEY,
    VPN_ENDPOINT_HOST: z
      .string()
      .min(1)
      .describe("Host name or address at which VPN clients reach this hub; part of every client config."),
    VPN_DNS: z.ipv4().default("172.31.0.2").describe("DNS server that client configs name."),
    USERS_PRIVATE_KEY: secret(
      "WireGuard private key of the user plane's hub. Kept in TUNNEL_STATE_FOLDER when absent.",
    ).optional(),
    DRONES_PRIVATE_KEY: secret(
      "WireGuard private key of the drone plane's hub. Kept in TUNNEL_STATE_FOLDER when absent.",
    ).optional(),
    TUNNEL_STATE_FOLDER: z
      .string()
      .optional()
      .describe("Folder that keeps hub keys which no variable gives; for a laptop."),
    TUNNEL_DATAPLANE: z
      .enum(["auto", "kernel", "wireguard-go", "dry-run"])
      .default("auto")
      .describe(
        "Where packets flow. `auto`: the kernel's WireGuard, else wireguard-go, else, with DEPLOYMENT=local only, `dry-run`, which changes nothing and logs the commands.",
      ),
    USERS_MTU: z.coerce
      .number()
      .int()
      .min(576)
      .max(9000)
      .default(1500)
      .describe("MTU of the hub's users0; 1420 spares fragments where the underlay carries 1500."),
    DB_REFRESH_SECONDS: positiveInt(10, "How often everything is compared with the database, changes aside."),
    EDGE_PORT: port(8088, "Port of the edge on the drone plane's hub address, which drones may reach."),
    FIREWALL_EXTRA_ALLOW: list(
      "Destinations opened beyond owners' drones and DNS, comma separated: `[users>|drones>|CIDR>]CIDR[:tcp/PORT|:udp/PORT]`.",
    ),
  })
  .refine(
    ({ ACCESS_PROFILE, TUNNEL_API_SECRET }) => ACCESS_PROFILE !== "strict" || TUNNEL_API_SECRET !== undefined,
    { path: ["TUNNEL_API_SECRET"], message: "is required with ACCESS_PROFILE=strict", when: () => true },
  );
export type TunnelConfig = z.infer<typeof tunnelConfig>;

export const workerConfig = z.object({
  ...processGroup,
  WORKER_PORT: port(9090, "`/metrics`, `/healthz` and `/readyz` of the worker."),
  ...databaseGroup,
  ...directDatabaseGroup,
  ...mailGroup,
  ...objectsGroup,
  ...assetsGroup,
  ...jobsGroup,
});
export type WorkerConfig = z.infer<typeof workerConfig>;

export const onboardConfig = z.object({
  LOG_LEVEL: processGroup.LOG_LEVEL,
  DRONE_IP: z.ipv4().describe("The drone's address, which names its channels in Redis."),
  REDIS_URL: secretUrl("Redis; on a drone the edge of the tunnel, which lets it use its own channels only."),
  ONBOARD_VEHICLE_HOST: z
    .string()
    .default("127.0.0.1")
    .describe("Where the autopilot's MAVLink is served by TCP, such as by mavlink-router."),
  ONBOARD_VEHICLE_PORT: port(5760, "TCP port of the autopilot's MAVLink."),
  ONBOARD_GCS_SYSTEM_ID: z.coerce
    .number()
    .int()
    .min(1)
    .max(255)
    .default(255)
    .describe(
      "MAVLink system id that sticks are sent with; an ArduPilot vehicle takes them only from its SYSID_MYGCS (MAV_GCS_SYSID).",
    ),
  ONBOARD_GATEWAY_URL: z
    .url()
    .optional()
    .describe("Origin of the gateway, on a drone the edge; no execution is recorded without one."),
  ONBOARD_LOG_FOLDER: z
    .string()
    .optional()
    .describe(
      "Folder that flight logs (.bin, .tlog, .ulg) are written to; the newest of a flight is uploaded. None without it.",
    ),
  ONBOARD_VIDEO_COMMAND: z
    .string()
    .optional()
    .describe(
      "Shell command run for every video message: VIDEO_TOPIC names it, the message is on standard input.",
    ),
});
export type OnboardConfig = z.infer<typeof onboardConfig>;

export const migrateConfig = z.object({
  LOG_LEVEL: processGroup.LOG_LEVEL,
  ...directDatabaseGroup,
  MIGRATE_WAIT_SECONDS: positiveInt(120, "How long `--wait` waits for the schema before it gives up."),
});
export type MigrateConfig = z.infer<typeof migrateConfig>;

export const adminConfig = z.object({
  DATABASE_URL: databaseGroup.DATABASE_URL,
  PUBLIC_ORIGIN: mailGroup.PUBLIC_ORIGIN,
});
export type AdminConfig = z.infer<typeof adminConfig>;

export const simulatorConfig = z.object({
  LOG_LEVEL: processGroup.LOG_LEVEL,
  SIMULATOR_HOST: z.string().default("127.0.0.1").describe("Address the simulated vehicles listen on."),
  SIMULATOR_PORT: port(
    5760,
    "TCP port of the first vehicle; each further one takes the next port. 0 picks free ones.",
  ),
  SIMULATOR_ONBOARD_PORT: port(
    0,
    "Second TCP port of the first vehicle, for the computer on board; each further one takes the next. None with 0.",
  ),
  SIMULATOR_LOG_FOLDER: z
    .string()
    .optional()
    .describe("Where ArduPilot vehicles keep their DataFlash logs, each in a folder of its number from 1."),
  SIMULATOR_COPTERS: z.coerce.number().int().min(0).max(500).default(1).describe("ArduPilot copters."),
  SIMULATOR_ROVERS: z.coerce.number().int().min(0).max(500).default(0).describe("ArduPilot rovers."),
  SIMULATOR_PX4_COPTERS: z.coerce.number().int().min(0).max(500).default(0).describe("PX4 copters."),
  SIMULATOR_HOME: z
    .string()
    .regex(/^-?\d+(\.\d+)?,-?\d+(\.\d+)?,-?\d+(\.\d+)?$/)
    .default("47.397742,8.545594,488")
    .describe("Home: latitude, longitude in degrees, metres above mean sea level."),
  SIMULATOR_SPEEDUP: z.coerce
    .number()
    .positive()
    .max(100)
    .default(1)
    .describe("How much faster than life it flies."),
});
export type SimulatorConfig = z.infer<typeof simulatorConfig>;

/** Every process's schema under the name that `docs/configuration.md` gives it. */
export const configSchemas: Readonly<Record<string, z.ZodObject>> = {
  gateway: gatewayConfig,
  tunnel: tunnelConfig,
  relay: relayConfig,
  onboard: onboardConfig,
  worker: workerConfig,
  migrate: migrateConfig,
  admin: adminConfig,
  simulator: simulatorConfig,
};
