import { join } from "node:path";
import { createLogger } from "../../platform/process/log";
import { openRedis, redisReady } from "../../platform/redis/client";
import { startChild } from "./child";
import type { Component } from "./component";

/** Where the simulated copter keeps its logs, and where its agent finds them. */
export const flightLogs = (stateFolder: string) => join(stateFolder, "flight-logs");

/** The onboard agent of the simulated copter. Only the agent follows sticks and records flights. */
export const onboard: Component = {
  name: "the agent on board",
  async start({ env, folder, ready }) {
    const { DRONE_IP, REDIS_URL, SIMULATOR_ONBOARD_PORT } = env;
    // The first user's drone is another simulator, whose computer the stack does not run.
    if (!DRONE_IP || !REDIS_URL) return {};
    return startChild({
      name: "the agent on board",
      entrypoint: "onboard",
      folder,
      env: {
        // A laptop needs no status port, and another stack's agent may have it.
        ONBOARD_PORT: "0",
        ...env,
        ONBOARD_VEHICLE: `127.0.0.1:${SIMULATOR_ONBOARD_PORT}`,
        ONBOARD_GATEWAY_URL: ready.gateway ?? undefined,
        ONBOARD_LOG_FOLDER: join(env.SIMULATOR_LOG_FOLDER ?? flightLogs(folder), "1"),
      },
      answers: () => checkStickSubscription(REDIS_URL, DRONE_IP),
    });
  },
};

async function checkStickSubscription(redisUrl: string, droneIp: string): Promise<void> {
  const redis = openRedis(redisUrl, createLogger("laptop", "silent"));
  try {
    await redisReady(redis);
    const [, subscribers] = await redis.pubsub("NUMSUB", `${droneIp}:gamepad_input`);
    if (Number(subscribers) < 1) throw new Error("it does not listen for sticks yet");
  } finally {
    redis.disconnect();
  }
}
