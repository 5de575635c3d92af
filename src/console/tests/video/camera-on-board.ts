import { join } from "node:path";
import { TOPICS_TO_DRONE } from "../../../domain/drone-channels";
import { endCamera } from "../../../laptop/camera";
import type { JanusServer } from "../../../laptop/servers/janus";
import { VideoHook } from "../../../onboard/video";
import { createLogger } from "../../../platform/process/log";
import { atEndOfFile, freshFolder } from "../../../testing";
import { compiledPrograms } from "../../../testing/programs/programs";
import type { TestGateway } from "../../../testing/worlds/start-gateway";

/** The camera of a simulated drone, run as the agent on board runs it, until the end of the file. */
export async function cameraOnBoard(
  { deps }: TestGateway,
  janus: Pick<JanusServer, "url"> & { readonly apiSecret: string },
  { ip }: { readonly ip: string },
): Promise<void> {
  const folder = freshFolder("camera");
  const variables = [
    `CAMERA_FOLDER=${folder}`,
    `CAMERA_OWNER_PID=${process.pid}`,
    `JANUS_URL=${janus.url}`,
    `JANUS_API_SECRET='${janus.apiSecret}'`,
  ];
  const command = [...variables, process.execPath, join(compiledPrograms(), "cmd/camera.js")].join(" ");
  const hook = new VideoHook(command, createLogger("test", "silent"), () => undefined);
  const redis = deps.redis.duplicate({ enableOfflineQueue: true });
  atEndOfFile(async () => {
    redis.disconnect();
    await endCamera(folder);
  });
  redis.on("message", (channel: string, text: string) => hook.run(channel.slice(ip.length + 1), text));
  await redis.subscribe(...TOPICS_TO_DRONE.map((topic) => `${ip}:${topic}`));
}
