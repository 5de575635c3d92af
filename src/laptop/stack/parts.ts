import { assertPortIsFree } from "../free-port";
import { startChild } from "./child";
import { firstDrone } from "./first-drone";
import { firstUser } from "./first-user";
import { database, mail, objects, reach, redis } from "./neighbours";
import type { Part } from "./part";
import { schema } from "./schema";

/** Short, because nobody but the person at this terminal waits. */
const drain = { SHUTDOWN_DRAIN_SECONDS: "3" };

const simulator: Part = {
  name: "the simulated copter",
  async start({ env, folder }) {
    const port = env.SIMULATOR_PORT ?? "5760";
    const settings = { SIMULATOR_PORT: port, SIMULATOR_SPEEDUP: env.SIMULATOR_SPEEDUP ?? "5" };
    await assertPortIsFree(Number(port), "the simulated copter (SIMULATOR_PORT)");
    const child = await startChild({
      name: "The simulator",
      entrypoint: "simulator",
      folder,
      env: { ...env, ...drain, ...settings },
      answers: () => reach("127.0.0.1", Number(port)),
    });
    return { ...child, gives: settings };
  },
};

const gateway: Part = {
  name: "the gateway",
  async start({ env, folder, secrets }) {
    const port = env.GATEWAY_PORT ?? "8080";
    const origin = `http://127.0.0.1:${port}`;
    await assertPortIsFree(Number(port), "the gateway (GATEWAY_PORT)");
    const child = await startChild({
      name: "The gateway",
      entrypoint: "gateway",
      folder,
      env: {
        JWT_SECRET: secrets.jwt,
        PUBLIC_ORIGIN: origin,
        // A web client under development runs on a port of its own.
        CORS_ORIGINS: "*",
        ACCESS_PROFILE: "contract",
        ...env,
        ...drain,
        DEPLOYMENT: "local",
        HOST: "127.0.0.1",
        GATEWAY_PORT: port,
      },
      answers: () => isReady(origin),
    });
    return { ...child, says: { gateway: origin } };
  },
};

async function isReady(origin: string): Promise<void> {
  const response = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(2_000) });
  if (!response.ok) throw new Error(`/readyz answers ${response.status}`);
}

/** Everything the laptop runs, in the order of its starting. */
export const parts: readonly Part[] = [
  database,
  redis,
  objects,
  mail,
  schema,
  simulator,
  gateway,
  firstUser,
  firstDrone,
];
