import Koa from "koa";
import { VIDEO_TOPICS } from "../domain/drone-channels";
import type { Acknowledgement, VehicleStatus, VideoOutcome } from "../domain/pilot-frames";
import { opsRoutes } from "../http/ops";
import { INTERNAL_LIMITS, limitedServer } from "../http/server/limited-server";
import { closeServer, listen } from "../http/server/listen";
import type { OnboardConfig } from "../platform/config";
import { Lifecycle } from "../platform/process/lifecycle";
import { createLogger, type Logger } from "../platform/process/log";
import { createMetrics } from "../platform/process/metrics";
import { hostOf } from "../platform/process/open-port";
import { openRedis, redisReady } from "../platform/redis/client";
import { Autopilot } from "./autopilot";
import { DroneChannels } from "./drone-channels";
import { FlightRecord } from "./flight-record";
import { DroneGateway } from "./gateway";
import { onboardMetrics } from "./metrics";
import { StickPilot } from "./stick-pilot";
import { VideoHook } from "./video";

const STICKS = "gamepad_input";
const OUTPUT = "output";
/** Only the drone's own computer reads health and metrics. */
const LOOPBACK = "127.0.0.1";
/** Long enough to stop the vehicle. */
const STOP_MS = 4_000;

export interface Onboard {
  /** `http://host:port` of its health and metrics. */
  readonly url: string;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly autopilot: Pick<Autopilot, "vehicle" | "mode" | "armed">;
  readonly sticks: Pick<StickPilot, "state">;
  /** Whether the drone's channels are subscribed in Redis. */
  readonly subscribed: boolean;
}

/** Starts the agent. It runs without Redis and without a vehicle, and connects to both when they answer. */
export async function startOnboard(config: OnboardConfig): Promise<Onboard> {
  const log = createLogger("onboard", config.LOG_LEVEL);
  const lifecycle = new Lifecycle(log, STOP_MS);
  // The drone's user in Redis may use neither INFO nor CLIENT SETINFO.
  const redis = openRedis(config.REDIS_URL, log, { enableReadyCheck: false, disableClientInfo: true });
  lifecycle.onClose("redis", () => redis.disconnect());
  const channel = `${config.DRONE_IP}:${OUTPUT}`;
  // A late reply is useless, so a failed one is dropped.
  const publish = (message: Acknowledgement | VehicleStatus | VideoOutcome) =>
    void redis.publish(channel, JSON.stringify(message)).catch(() => undefined);
  const publishStatus = () =>
    publish({
      type: "status",
      vehicle: autopilot.vehicle?.kind ?? null,
      mode: autopilot.mode ?? null,
      armed: autopilot.armed ?? null,
      state: sticks.state,
    });
  const record = config.ONBOARD_GATEWAY_URL
    ? new FlightRecord({
        gateway: new DroneGateway(config.ONBOARD_GATEWAY_URL, config.DRONE_IP),
        logFolder: config.ONBOARD_LOG_FOLDER,
        log,
      })
    : undefined;
  lifecycle.onClose("flight record", () => record?.stop());
  const vehicle = new URL(`tcp://${config.ONBOARD_VEHICLE}`);
  const autopilot: Autopilot = new Autopilot({
    host: hostOf(vehicle),
    port: Number(vehicle.port),
    systemId: config.ONBOARD_GCS_SYSTEM_ID,
    log,
    onChange: () => {
      record?.observe(autopilot.armed);
      publishStatus();
    },
  });
  lifecycle.onClose("autopilot", () => autopilot.stop());
  const sticks: StickPilot = new StickPilot({
    autopilot,
    log,
    acknowledge: (acknowledgement) => {
      metrics.frame(acknowledgement);
      publish(acknowledgement);
    },
    onState: (state) => {
      if (state === "stopping") metrics.deadMan();
      publishStatus();
    },
    now: () => performance.now(),
  });
  const video = new VideoHook(config.ONBOARD_VIDEO_COMMAND, log, (topic, ok, detail) =>
    publish({ type: "video", topic, ok, detail }),
  );
  const channels = new DroneChannels({
    url: config.REDIS_URL,
    droneIp: config.DRONE_IP,
    newestOnly: STICKS,
    all: VIDEO_TOPICS,
    log,
    onMessage: (message) =>
      message.topic === STICKS ? sticks.receive(message) : video.run(message.topic, message.text),
  });
  lifecycle.onDrain("sticks", async () => {
    channels.stop();
    await sticks.release();
  });
  const registry = createMetrics("onboard");
  const metrics = onboardMetrics(registry, () => ({
    subscribed: channels.subscribed,
    autopilotConnected: autopilot.vehicle !== undefined,
    steering: sticks.state === "steering",
    flights: record?.open ?? 0,
  }));
  const app = new Koa();
  const isUp = async (up: boolean) => {
    if (!up) throw new Error("It is not connected.");
  };
  app.use(
    opsRoutes(lifecycle, registry, {
      redis: () => isUp(channels.subscribed),
      autopilot: () => isUp(autopilot.vehicle !== undefined),
    }),
  );
  const server = limitedServer(app.callback(), INTERNAL_LIMITS);
  lifecycle.onClose("http", () => closeServer(server));
  let url: string;
  try {
    url = await listen(server, config.ONBOARD_PORT, LOOPBACK);
    await redisReady(redis).catch(() => log.warn("Starting without Redis; retrying"));
  } catch (error) {
    await lifecycle.stop("start failed");
    throw error;
  }
  lifecycle.ready();
  log.info({ drone: config.DRONE_IP, url }, "The agent is ready");
  return {
    url,
    log,
    lifecycle,
    autopilot,
    sticks,
    get subscribed() {
      return channels.subscribed;
    },
  };
}
