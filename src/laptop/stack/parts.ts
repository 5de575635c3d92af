import type { Environment } from "../../platform/config";
import type { Ready } from "../ready";
import { startChild } from "./child";
import { firstDrone } from "./first-drone";
import { firstUser } from "./first-user";
import { media } from "./media";
import { database, mail, objects, reach, redis } from "./neighbours";
import { flightLogs, onboard } from "./onboard";
import type { Part } from "./part";
import { schema } from "./schema";
import type { Secrets } from "./secrets";

/** Short, because nobody but the person at this terminal waits. */
const drain = { SHUTDOWN_DRAIN_SECONDS: "3" };

const DEFAULT_SIMULATOR_PORT = "5760";

/** What every process of ours is told here. A default comes before the user's environment, a must after it. */
const ourEnvironment = (env: Environment, secrets: Secrets): Environment => ({
  JWT_SECRET: secrets.jwt,
  ARCHIVE_SIGNING_KEY: secrets.archiveSigningKey,
  ACCESS_PROFILE: "contract",
  // A simulated drone that names no port of its own is the simulator that starts beside.
  SIMULATED_LINK_PORT: env.SIMULATOR_PORT ?? DEFAULT_SIMULATOR_PORT,
  ...env,
  ...drain,
  DEPLOYMENT: "local",
  HOST: "127.0.0.1",
});

interface HttpService {
  readonly name: string;
  /** File of `cmd/`. */
  readonly entrypoint: string;
  /** Variable that names its port, and the port otherwise. */
  readonly port: readonly [variable: string, otherwise: string];
  /** Its key in ready.json. */
  readonly says: keyof Ready;
  readonly scheme?: "http" | "ws";
  /** Defaults of its own. */
  readonly defaults?: (origin: string) => Environment;
}

/** One of our processes that serves HTTP on a port and answers `/readyz` there. */
const service = ({ name, entrypoint, port, says, scheme = "http", defaults }: HttpService): Part => ({
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
      env: { ...defaults?.(origin), ...ourEnvironment(env, secrets), [variable]: chosen },
      answers: () => isReady(origin),
    });
    return { ...child, says: { [says]: origin.replace("http", scheme) } };
  },
});

async function isReady(origin: string): Promise<void> {
  const response = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(2_000) });
  if (!response.ok) throw new Error(`/readyz answers ${response.status}`);
}

const simulator: Part = {
  name: "the simulated copter",
  async start({ env, folder }) {
    const port = env.SIMULATOR_PORT ?? DEFAULT_SIMULATOR_PORT;
    const settings = {
      SIMULATOR_PORT: port,
      // As other simulators number the second port of a vehicle.
      SIMULATOR_ONBOARD_PORT: env.SIMULATOR_ONBOARD_PORT ?? String(Number(port) + 2),
      SIMULATOR_LOG_FOLDER: env.SIMULATOR_LOG_FOLDER ?? flightLogs(folder),
      SIMULATOR_SPEEDUP: env.SIMULATOR_SPEEDUP ?? "5",
    };
    const child = await startChild({
      name: "the simulator",
      entrypoint: "simulator",
      port: { number: Number(port), variable: "SIMULATOR_PORT" },
      folder,
      env: { ...env, ...drain, ...settings },
      answers: () => reach("127.0.0.1", Number(port)),
    });
    return { ...child, gives: settings };
  },
};

const gateway = service({
  name: "the gateway",
  entrypoint: "gateway",
  port: ["GATEWAY_PORT", "8080"],
  says: "gateway",
  // A web client under development runs on a port of its own.
  // Another simulator than the first drone's, which runs all the time.
  defaults: (origin) => ({ PUBLIC_ORIGIN: origin, CORS_ORIGINS: "*", SIMULATION_PROVIDER: "process" }),
});

const relay = service({
  name: "the relay",
  entrypoint: "relay",
  port: ["RELAY_PORT", "7070"],
  says: "relay",
  scheme: "ws",
});

/**
 * Everything the laptop runs, in stages: the parts of a stage start at the same time, when those of the stages
 * before answer.
 */
export const stages: readonly (readonly Part[])[] = [
  [database, redis, objects, mail, media],
  [schema],
  [simulator, gateway, relay],
  [firstUser],
  [firstDrone],
  [onboard],
];
