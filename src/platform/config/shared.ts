import { z } from "zod";
import { parseSigningKey } from "../signing-key";
import {
  baseUrl,
  bucket,
  choice,
  fault,
  integer,
  limit,
  list,
  port,
  positiveInt,
  seconds,
  secret,
  secretUrl,
  url,
} from "./fields";

/** Variables that several processes share, in groups. A process's schema is the groups it needs. */

export const processGroup = {
  HOST: z.string().default("127.0.0.1").describe("Address to listen on."),
  LOG_LEVEL: choice(
    ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
    "info",
    "Least severe level that is logged.",
  ),
  DEPLOYMENT: choice(
    ["local", "production"],
    "production",
    "`local`: a laptop, where the contract profile may listen on any address.",
  ),
  SHUTDOWN_DRAIN_SECONDS: seconds(20, "Longest time that a stopping process takes to finish its open work."),
};

export const accessGroup = {
  ACCESS_PROFILE: choice(
    ["contract", "strict"],
    "contract",
    "`contract`: the rules of the published contract, for a laptop. `strict`: every caller is authenticated, for production.",
  ),
  TRUSTED_PROXIES: list(
    "Addresses or CIDRs whose X-Forwarded-For is believed for logs and rate limits, comma separated. `loopback`, `linklocal` and `uniquelocal` are names for theirs. Where clients have private addresses too, name the proxies' own: `uniquelocal` would believe what these clients send.",
  ),
};

/** How much one caller, or all of them together, may hold of a port that clients reach. */
export const httpLimitsGroup = {
  HTTP_REQUEST_SECONDS: seconds(
    60,
    "A request that has not arrived whole after this long is closed; its headers must arrive within 20 s.",
  ),
  HTTP_MAX_CONNECTIONS: positiveInt(20_000, "Connections to one port at once, WebSockets included."),
  HTTP_MAX_CONNECTIONS_PER_ADDRESS: limit(
    0,
    "Connections of one address (IPv6: one /64) to one port at once; addresses in TRUSTED_PROXIES are exempt. 0 sets no limit. For ports that clients reach with their own addresses.",
  ),
};

export const databaseGroup = {
  DATABASE_URL: secretUrl("Postgres, possibly through a pooler."),
  DATABASE_POOL_MAX: positiveInt(20, "Most connections this process opens to Postgres."),
};

export const directDatabaseGroup = {
  DATABASE_URL: databaseGroup.DATABASE_URL,
  DATABASE_DIRECT_URL: secretUrl(
    "Postgres without a pooler, for LISTEN, jobs and migrations. DATABASE_URL when absent.",
  ).optional(),
};

export const redisGroup = { REDIS_URL: secretUrl("Redis.") };

export const mailGroup = {
  SMTP_URL: secretUrl("SMTP server, such as smtp://user:password@mail.example.com:587."),
  MAIL_FROM: z.string().default("Fleet Gateway <fleet@localhost>").describe("Sender of every mail."),
  PUBLIC_ORIGIN: baseUrl("http://localhost:8080", "Origin of the web client; links in mails begin with it."),
};

/** The object store, of which a process may use one bucket or both. */
export const storeGroup = {
  S3_ENDPOINT: url("S3-compatible store as this process reaches it; AWS when absent."),
  S3_REGION: z.string().default("us-east-1").describe("Region of the store."),
  S3_ACCESS_KEY_ID: secret("Access key; the SDK's own chain when absent.").optional(),
  S3_SECRET_ACCESS_KEY: secret("Secret key.").optional(),
};

export const objectsGroup = {
  ...storeGroup,
  S3_PUBLIC_ENDPOINT: url("The store as users reach it, for presigned URLs. S3_ENDPOINT when absent."),
  S3_DRONE_ENDPOINT: url("The store as drones reach it, for presigned URLs. S3_PUBLIC_ENDPOINT when absent."),
  S3_BUCKET: bucket("fleet", "Bucket of assets and archives."),
  S3_VPN_BUCKET: bucket(
    "fleet-vpn",
    "Bucket of client configs, which hold private keys. It must not be S3_BUCKET, whose objects others may read.",
  ),
};

/** For a process with both buckets: with one bucket, a reader of assets could read every client's key. */
export const differentBuckets = [
  (config: { S3_BUCKET: string; S3_VPN_BUCKET: string }) => config.S3_BUCKET !== config.S3_VPN_BUCKET,
  fault("S3_VPN_BUCKET", "must be another bucket than S3_BUCKET: private keys are in it"),
] as const;

/** Variables that background jobs need. The gateway does them too, and needs the same for its own requests. */
export const jobsGroup = {
  ...databaseGroup,
  ...directDatabaseGroup,
  ...mailGroup,
  ...objectsGroup,
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
  WORKER_CONCURRENCY: positiveInt(2, "Background jobs in one process at once."),
};

/** Vehicles of one kind that a simulator may have. */
export const VEHICLES = [0, 500] as const;

/** Of the simulator, and of the gateway, which dials its vehicles. */
export const simulatorGroup = {
  SIMULATOR_PORT: port(
    5760,
    "TCP port of the simulator's first vehicle; each further one takes the next port. 0 picks free ones, which a gateway does not find. A vehicle is made at its first connection, and removed when it is landed and was left alone for ten minutes.",
  ),
  SIMULATOR_COPTERS: integer(
    VEHICLES,
    1,
    "ArduPilot copters of the simulator. A simulated drone without a `port` gets one that no other drone has. When there is none, it is refused in the profile `strict`, and shares the one that the fewest drones have in the profile `contract`.",
  ),
  SIMULATOR_ROVERS: integer(
    VEHICLES,
    0,
    "ArduPilot rovers of the simulator, on the ports after the copters'. Without any a rover gets a copter's port.",
  ),
};

/** Of the gateways, which take leases, and of the jumphost, which asks for their numbers. */
export const LINK_LEASES = choice(
  ["off", "redis"],
  "off",
  "`redis`: gateways share the drones by leases in Redis. The jumphost accepts only connections with the newest lease's fencing number. `off`: this is the only gateway.",
);

/** Of the gateway, which stores them with drones, and of the jumphost, which dials them. */
export const SIMULATOR_HOSTS = list(
  "Hosts of simulated vehicles, comma separated. A simulated drone without a `link_host` has the first, 127.0.0.1 where there is none. The gateway accepts them as a simulated drone's `link_host`, at any port; with DEPLOYMENT=local it accepts any host. The jumphost dials them.",
);

/** Between the gateway, which dials vehicles through the jumphost, and the tunnel. */
export const tunnelApiGroup = {
  TUNNEL_API_SECRET: secret("Bearer secret of the jumphost and the tunnel's status API.", 16).optional(),
};
