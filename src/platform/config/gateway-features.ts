import { z } from "zod";
import { choice, flag, integer, milliseconds, positiveInt, secret, text, url } from "./fields";
import { SIMULATOR_HOSTS, simulatorGroup, tunnelApiGroup } from "./shared";

/** Variables of the gateway's features that reach other systems, in groups. */

export const billingGroup = {
  STRIPE_SECRET_KEY: secret(
    "Key of the payment provider's API. Without it nothing can be bought; see `admin grant-subscription`.",
  ).optional(),
  STRIPE_WEBHOOK_SECRET: secret(
    "Secret that signs the payment provider's events. Without it events are rejected; with DEPLOYMENT=local they are accepted unsigned.",
  ).optional(),
  STRIPE_API_BASE: url("Where the payment provider's API is reached; Stripe's own address when absent."),
  STRIPE_PRICE_ID: text(
    "Stripe's price of one vehicle. When absent, checkout uses the amount, currency and period of the BILLING_ variables.",
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
  BILLING_PERIOD: choice(["month", "year"], "year", "The period that one payment covers."),
};

export const videoGroup = {
  JANUS_URL: url("Janus's HTTP API, such as http://janus:8088/janus. Without it there are no video rooms."),
  JANUS_API_SECRET: secret("Janus's `api_secret`, when it has one.").optional(),
  JANUS_ADMIN_KEY: secret("`admin_key` of Janus's VideoRoom plugin, when it has one.").optional(),
};

export const simulationGroup = {
  SIMULATION_PROVIDER: choice(
    ["process", "kubernetes", "ec2", "none"],
    "none",
    "How the simulation instance runs: as a child process, a StatefulSet or an EC2 instance, or not at all. The child's first vehicle is 30 ports after SIMULATOR_PORT, or after all of that simulator's vehicles.",
  ),
  SIMULATION_STATEFULSET: z
    .string()
    .default("simulator")
    .describe("`kubernetes`: the StatefulSet of the pod's own namespace that is scaled between 0 and 1."),
  EC2_INSTANCE_ID: text(
    "`ec2`: the instance that is started and stopped, in the SDK's own region (`AWS_REGION`), us-east-1 when absent.",
  ),
  EC2_ENDPOINT: url("`ec2`: where its API is reached; AWS's own when absent."),
  SIMULATION_HOURLY_RATE: z.coerce
    .number()
    .min(0)
    .default(0.95)
    .describe("Price of a running hour, for the cost estimate."),
};

export const vehicleGroup = {
  MAVLINK_SYSTEM_ID: integer(
    [1, 254],
    245,
    "Our MAVLink system id; never 255, whose heartbeats would mask a vehicle's ground-station failsafe.",
  ),
  JUMPHOST_URL: url(
    "WebSocket of the jumphost through which physical drones are dialled; direct TCP when absent.",
  ),
  ...simulatorGroup,
  SIMULATOR_HOSTS,
  ...tunnelApiGroup,
  LINK_CONNECT_TIMEOUT_MS: milliseconds(5_000, "Longest wait for a link to a vehicle to become ready."),
  FLIGHT_RECORDER: z
    .enum(["on", "off"])
    .default("on")
    .describe(
      "Whether the gateway records the links of armed vehicles and of drones with an execution in progress. It keeps such a drone's link open.",
    ),
  TELEMETRY_MAX_HZ: positiveInt(10, "Frames per second of one stream that a watcher receives at most."),
  DO_UNSUBSCRIBE: flag(true, "Whether a vehicle's stream stops when its last watcher unsubscribes."),
};

export const consoleGroup = {
  CONSOLE: choice(["on", "off"], "on", "Whether the gateway serves the web console at `/`."),
  CONSOLE_MAP_STYLE: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      "A MapLibre style, the base map of the console's maps. All that it names must be of its own origin, which browsers may then connect to. Without a base map they show a plain ground.",
    ),
  CONSOLE_MAP_FILE: z
    .string()
    .regex(/^\/.*\.pmtiles$/, "must be an absolute path that ends in .pmtiles")
    .optional()
    .describe(
      "A .pmtiles file, the base map of the console's maps: pictures, or vectors by the layers of Protomaps.",
    ),
  CONSOLE_MAP_OBJECT: z
    .string()
    .regex(/^[\w][\w./-]*\.pmtiles$/, "must be an object's key that ends in .pmtiles")
    .optional()
    .describe("The same as an object of `S3_BUCKET`, such as maps/region.pmtiles."),
  RELAY_PUBLIC_ORIGIN: z
    .url()
    .regex(/^wss?:\/\/[^/?#]+$/, "must be ws:// or wss:// and a host, without a path")
    .optional()
    .describe(
      "Where browsers reach the relay, such as wss://relay.example.com; the gateway's own origin when absent. The console may connect to it.",
    ),
};

/** Tunnels' states, credentials and registry logins for users and drones. */
export const provisioningGroup = {
  VPN_SERVICE_URL: url(
    "The tunnel's status API, such as http://tunnel:5050. Without it every physical drone's tunnel counts as down, and no physical drone can be activated.",
  ),
  STS_ENDPOINT: url("Where drones' temporary credentials come from, such as MinIO's STS; AWS's when absent."),
  STS_ROLE_ARN: z
    .string()
    .regex(/^arn:[\w-]+:/, "must be an ARN")
    .optional()
    .describe(
      "Role of drones' temporary credentials. Without it the gateway issues no credentials, unless STS_ENDPOINT is set (MinIO asks for no role).",
    ),
  REGISTRY_PROVIDER: choice(
    ["ecr", "static"],
    "static",
    "Where an activated drone's registry login comes from: ECR, or the REGISTRY_ variables.",
  ),
  REGISTRY_URL: z
    .string()
    .regex(/^[^\s/]+(\/[^\s/]+)*$/, "must be a host and path without a scheme")
    .optional()
    .describe(
      "Registry of the drones' images, such as ghcr.io/example. With `ecr` the account's when absent.",
    ),
  REGISTRY_USERNAME: text(
    "`static`: user name that every drone is given. Allow it to pull and nothing else.",
  ),
  REGISTRY_PASSWORD: secret("`static`: its password.").optional(),
};
