import { join } from "node:path";
import type { Environment } from "../../platform/config";
import { assertReachable } from "../../platform/process/reachability";
import type { Ready } from "../ready";
import { startChild } from "./child";
import type { Component } from "./component";
import { composeFiles } from "./compose-files";
import { firstDrone } from "./first-drone";
import { firstUser } from "./first-user";
import { media } from "./media";
import { flightLogs, onboard } from "./onboard";
import { schema } from "./schema";
import type { Secrets } from "./secrets";
import { database, mail, objects, redis } from "./services";

/** Short, because only the person at this terminal has requests under way. */
const drain = { SHUTDOWN_DRAIN_SECONDS: "3" };

const DEFAULT_SIMULATOR_PORT = "5760";
const DEFAULT_SIMULATOR_COPTERS = "4";
const DEFAULT_GATEWAY_PORT = "8080";
const DEFAULT_RELAY_PORT = "7070";
const DEFAULT_TUNNEL_PORT = "5050";
const DEFAULT_JUMPHOST_PORT = "5051";

/** Variables of every process. The user's environment overrides defaults, and not the required values. */
const ourEnvironment = (env: Environment, secrets: Secrets): Environment => ({
  JWT_SECRET: secrets.jwt,
  ARCHIVE_SIGNING_KEY: secrets.archiveSigningKey,
  ACCESS_PROFILE: "contract",
  SIMULATOR_PORT: DEFAULT_SIMULATOR_PORT,
  SIMULATOR_COPTERS: DEFAULT_SIMULATOR_COPTERS,
  RELAY_PUBLIC_ORIGIN: `ws://127.0.0.1:${env.RELAY_PORT ?? DEFAULT_RELAY_PORT}`,
  VPN_SERVICE_URL: `http://127.0.0.1:${env.TUNNEL_PORT ?? DEFAULT_TUNNEL_PORT}`,
  ...env,
  ...drain,
  DEPLOYMENT: "local",
  HOST: "127.0.0.1",
  // A simulated drone that names no host is a vehicle of the simulator that starts beside.
  SIMULATOR_HOSTS: ["127.0.0.1", env.SIMULATOR_HOSTS].join(","),
});

interface HttpService {
  readonly name: string;
  /** File of `cmd/`. */
  readonly entrypoint: string;
  /** The variable with its port, and the default port. */
  readonly port: readonly [variable: string, otherwise: string];
  /** For ready.json. */
  readonly ready: (origin: string, env: Environment) => Partial<Ready>;
  /** Defaults of its own. */
  readonly defaults?: (origin: string, stateFolder: string) => Environment;
  /** Values that override the user's environment. */
  readonly overrides?: (env: Environment) => Environment;
}

/** One of our processes that serves HTTP on a port and answers `/readyz` there. */
const service = ({ name, entrypoint, port, ready, defaults, overrides }: HttpService): Component => ({
  name,
  async start({ env, folder, secrets }) {
    const [variable, otherwise] = port;
    const chosen = env[variable] ?? otherwise;
    const origin = `http://127.0.0.1:${chosen}`;
    const child = await startChild({
      name,
      entrypoint,
      port: { number: Number(chosen), variable },
      folder,
      env: {
        ...defaults?.(origin, folder),
        ...ourEnvironment(env, secrets),
        ...overrides?.(env),
        [variable]: chosen,
      },
      answers: () => isReady(origin),
    });
    return { ...child, ready: ready(origin, env) };
  },
});

async function isReady(origin: string): Promise<void> {
  const response = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(2_000) });
  if (!response.ok) throw new Error(`/readyz answers ${response.status}`);
}

const simulator: Component = {
  name: "the simulated copters",
  async start({ env, folder }) {
    const port = env.SIMULATOR_PORT ?? DEFAULT_SIMULATOR_PORT;
    const settings = {
      SIMULATOR_PORT: port,
      SIMULATOR_COPTERS: env.SIMULATOR_COPTERS ?? DEFAULT_SIMULATOR_COPTERS,
      // Beyond the ports of all vehicles.
      SIMULATOR_ONBOARD_PORT: env.SIMULATOR_ONBOARD_PORT ?? String(Number(port) + 1_000),
      SIMULATOR_LOG_FOLDER: env.SIMULATOR_LOG_FOLDER ?? flightLogs(folder),
      SIMULATOR_SPEEDUP: env.SIMULATOR_SPEEDUP ?? "5",
    };
    const child = await startChild({
      name: "the simulator",
      entrypoint: "simulator",
      port: { number: Number(port), variable: "SIMULATOR_PORT" },
      folder,
      env: { ...env, ...drain, ...settings },
      answers: () => assertReachable(`tcp://127.0.0.1:${port}`),
    });
    return { ...child, env: settings };
  },
};

const gateway = service({
  name: "the gateway",
  entrypoint: "gateway",
  port: ["GATEWAY_PORT", DEFAULT_GATEWAY_PORT],
  ready: (gateway, { CONSOLE }) => ({ gateway, ...(CONSOLE === "off" ? {} : { console: `${gateway}/` }) }),
  // A web client under development runs on a port of its own.
  // Another simulator than the first drone's, which runs all the time.
  // No registry is there, but an activation can be tried.
  defaults: (origin) => ({
    PUBLIC_ORIGIN: origin,
    CORS_ORIGINS: "*",
    SIMULATION_PROVIDER: "process",
    REGISTRY_URL: "localhost:5000",
  }),
});

const relay = service({
  name: "the relay",
  entrypoint: "relay",
  port: ["RELAY_PORT", DEFAULT_RELAY_PORT],
  ready: (origin) => ({ relay: origin.replace("http", "ws") }),
});

/** Makes real peers and client configs. It changes this machine's network only as root and on request. */
const tunnel = service({
  name: "the tunnel service",
  entrypoint: "tunnel",
  port: ["TUNNEL_PORT", DEFAULT_TUNNEL_PORT],
  ready: (tunnel, { JUMPHOST_PORT = DEFAULT_JUMPHOST_PORT }) => ({
    tunnel,
    jumphost: `ws://127.0.0.1:${JUMPHOST_PORT}`,
  }),
  defaults: (_, stateFolder) => ({
    VPN_ENDPOINT_HOST: "127.0.0.1",
    TUNNEL_STATE_FOLDER: join(stateFolder, "tunnel"),
    JUMPHOST_PORT: DEFAULT_JUMPHOST_PORT,
  }),
  overrides: ({ TUNNEL_DATAPLANE, GATEWAY_PORT = DEFAULT_GATEWAY_PORT, REDIS_URL }) =>
    process.getuid?.() === 0 && TUNNEL_DATAPLANE
      ? { TUNNEL_DATAPLANE, EDGE_GATEWAY_URL: `http://127.0.0.1:${GATEWAY_PORT}`, EDGE_REDIS_URL: REDIS_URL }
      : { TUNNEL_DATAPLANE: "dry-run" },
});

/**
 * Everything the laptop runs, in stages: the components of a stage start at the same time, when those of the stages
 * before answer.
 */
export const stages: readonly (readonly Component[])[] = [
  [database, redis, objects, mail, media],
  [schema, composeFiles],
  [simulator, gateway, relay, tunnel],
  [firstUser],
  [firstDrone],
  [onboard],
];
