import { z } from "zod";
import { hostAndPort, integer, port, secretUrl, text, url } from "./fields";
import { processGroup } from "./shared";

export const onboardConfig = z.object({
  LOG_LEVEL: processGroup.LOG_LEVEL,
  ONBOARD_PORT: port(9091, "`/metrics`, `/healthz` and `/readyz` of the agent, on loopback only."),
  DRONE_IP: z.ipv4().describe("The drone's address, which names its channels in Redis."),
  REDIS_URL: secretUrl("Redis; on a drone the edge of the tunnel, which lets it use its own channels only."),
  ONBOARD_VEHICLE: hostAndPort(
    "127.0.0.1:5760",
    "`host:port` where the autopilot's MAVLink is served by TCP, such as by mavlink-router.",
  ),
  ONBOARD_GCS_SYSTEM_ID: integer(
    [1, 255],
    255,
    "MAVLink system id that sticks are sent with; an ArduPilot vehicle takes them only from its SYSID_MYGCS (MAV_GCS_SYSID).",
  ),
  ONBOARD_GATEWAY_URL: url(
    "Origin of the gateway, on a drone the edge; no execution is recorded without one.",
  ),
  ONBOARD_LOG_FOLDER: text(
    "Folder of flight logs (.bin, .tlog, .ulg). The agent uploads the newest log of each flight; without the folder it uploads none.",
  ),
  ONBOARD_VIDEO_COMMAND: text(
    "Shell command run for every video message: VIDEO_TOPIC names it, the message is on standard input.",
  ),
});
export type OnboardConfig = z.infer<typeof onboardConfig>;
