import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../platform/config";
import { createLogger } from "../../platform/process/log";
import { openRedis, redisReady } from "../../platform/redis/client";
import { endCamera } from "../camera";
import { isInstalled } from "../servers/installed";
import { entrypointFile, startChild } from "./child";
import type { Component } from "./component";

/** Where the simulated copter keeps its logs, and where its agent finds them. */
export const flightLogs = (stateFolder: string) => join(stateFolder, "flight-logs");

/** The onboard agent of the simulated copter. Only the agent follows sticks, records flights and runs the camera. */
export const onboard: Component = {
  name: "the agent on board",
  async start({ env, folder, ready, print }) {
    const { DRONE_IP, REDIS_URL, SIMULATOR_ONBOARD_PORT } = env;
    // The first user's drone is another simulator, whose computer the stack does not run.
    if (!DRONE_IP || !REDIS_URL) return {};
    const cameraFolder = join(folder, "camera");
    await endCamera(cameraFolder);
    // The rooms of the run before are gone.
    rmSync(cameraFolder, { recursive: true, force: true });
    const camera = cameraVariables(env, cameraFolder);
    if (!camera)
      print("The simulated copter has no camera. It takes janus and ffmpeg: apt-get install janus ffmpeg");
    const agent = await startChild({
      name: "the agent on board",
      entrypoint: "onboard",
      folder,
      env: {
        // A laptop needs no status port, and another stack's agent may have it.
        ONBOARD_PORT: "0",
        ...camera,
        ...env,
        ONBOARD_VEHICLE: `127.0.0.1:${SIMULATOR_ONBOARD_PORT}`,
        ONBOARD_GATEWAY_URL: ready.gateway ?? undefined,
        ONBOARD_LOG_FOLDER: join(env.SIMULATOR_LOG_FOLDER ?? flightLogs(folder), "1"),
      },
      answers: () => checkStickSubscription(REDIS_URL, DRONE_IP),
    });
    const stop = async () => {
      await agent.stop();
      await endCamera(cameraFolder);
    };
    return { ...agent, stop };
  },
};

/** For the agent, which runs the camera. Undefined where a program for it is missing. */
function cameraVariables(env: Environment, folder: string): Environment | undefined {
  if (!env.JANUS_URL || !isInstalled("ffmpeg", env.PATH)) return undefined;
  return {
    CAMERA_FOLDER: folder,
    CAMERA_OWNER_PID: String(process.pid),
    ONBOARD_VIDEO_COMMAND: [process.execPath, entrypointFile("camera")].map(quoted).join(" "),
  };
}

/** A word of the shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

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
