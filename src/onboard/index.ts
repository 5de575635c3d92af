import Koa from "koa";
import { opsRoutes } from "../http/ops";
import { INTERNAL_LIMITS, limitedServer } from "../http/server/limited-server";
import { closeServer, listen } from "../http/server/listen";
import type { OnboardConfig } from "../platform/config";
import { Lifecycle } from "../platform/process/lifecycle";
import { createLogger, type Logger } from "../platform/process/log";
import { createMetrics } from "../platform/process/metrics";
import { openRedis, redisReady } from "../platform/redis/client";
import { Autopilot } from "./autopilot";
import { FlightRecord } from "./flight-record";
import { DroneGateway } from "./gateway";
import { Inbox } from "./inbox";
import { onboardMetrics } from "./metrics";
import { type Acknowledgement, type PilotState, StickPilot } from "./stick-pilot";
import { VIDEO_TOPICS, VideoHook } from "./video";

const STICKS = "gamepad_input";
const ANSWERS = "output";
/** Nobody but the drone's own computer asks how the agent is. */
const LOOPBACK = "127.0.0.1";
/** Enough for the dead-man's work. */
const STOP_MS = 4_000;

/** What else is said on `output`, at every change and with each heartbeat of the vehicle. */
export interface Status {
  readonly type: "status";
  readonly vehicle: "copter" | "rover" | null;
  readonly mode: string | null;
  readonly armed: boolean | null;
  readonly state: PilotState;
}

/** A video message was handed to the pipeline, or why not. */
export interface VideoAnswer {
  readonly type: "video";
  readonly topic: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface Onboard {
  /** `http://host:port` of its health and metrics. */
  readonly url: string;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly autopilot: Pick<Autopilot, "vehicle" | "mode" | "armed">;
  readonly sticks: Pick<StickPilot, "state">;
  /** Whether the drone's channels are heard. */
  readonly listening: boolean;
}

/** Starts the agent: it goes on without Redis and without a vehicle, and finds both when they come. */
export async function startOnboard(config: OnboardConfig): Promise<Onboard> {
  const log = createLogger("onboard", config.LOG_LEVEL);
  const lifecycle = new Lifecycle(log, STOP_MS);
  // The drone's user in Redis may neither ask for the server's facts nor say what client this is.
  const redis = openRedis(config.REDIS_URL, log, { enableReadyCheck: false, disableClientInfo: true });
  lifecycle.onClose("redis", () => redis.disconnect());
  const channel = `${config.DRONE_IP}:${ANSWERS}`;
  // An answer that cannot go out now is worth nothing later.
  const say = (words: Acknowledgement | Status | VideoAnswer) =>
    void redis.publish(channel, JSON.stringify(words)).catch(() => undefined);
  const tellStatus = () =>
    say({
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
  const autopilot: Autopilot = new Autopilot({
    host: config.ONBOARD_VEHICLE_HOST,
    port: config.ONBOARD_VEHICLE_PORT,
    systemId: config.ONBOARD_GCS_SYSTEM_ID,
    log,
    onChange: () => {
      record?.observe(autopilot.armed);
      tellStatus();
    },
  });
  lifecycle.onClose("autopilot", () => autopilot.stop());
  const sticks: StickPilot = new StickPilot({
    autopilot,
    log,
    acknowledge: (words) => {
      metrics.judged(words);
      say(words);
    },
    onState: (state) => {
      if (state === "stopping") metrics.letGo();
      tellStatus();
    },
    now: () => performance.now(),
  });
  const video = new VideoHook(config.ONBOARD_VIDEO_COMMAND, log, (topic, ok, detail) =>
    say({ type: "video", topic, ok, detail }),
  );
  const inbox = new Inbox({
    url: config.REDIS_URL,
    droneIp: config.DRONE_IP,
    newestOf: STICKS,
    allOf: VIDEO_TOPICS,
    log,
    onArrival: (arrival) =>
      arrival.topic === STICKS ? sticks.take(arrival) : video.take(arrival.topic, arrival.text),
  });
  lifecycle.onDrain("sticks", async () => {
    inbox.stop();
    await sticks.letGo();
  });
  const registry = createMetrics("onboard");
  const metrics = onboardMetrics(registry, () => ({
    listening: inbox.listening,
    autopilotHeard: autopilot.vehicle !== undefined,
    steering: sticks.state === "steering",
    flights: record?.open ?? 0,
  }));
  const app = new Koa();
  const isUp = async (up: boolean) => {
    if (!up) throw new Error("It is not heard.");
  };
  app.use(
    opsRoutes(lifecycle, registry, {
      redis: () => isUp(inbox.listening),
      autopilot: () => isUp(autopilot.vehicle !== undefined),
    }),
  );
  const server = limitedServer(app.callback(), INTERNAL_LIMITS);
  lifecycle.onClose("http", () => closeServer(server));
  let url: string;
  try {
    url = await listen(server, config.ONBOARD_PORT, LOOPBACK);
    await redisReady(redis).catch(() => log.warn("starting without Redis; it is retried"));
  } catch (error) {
    await lifecycle.stop("start failed");
    throw error;
  }
  lifecycle.ready();
  log.info({ drone: config.DRONE_IP, url }, "the agent is ready");
  return {
    url,
    log,
    lifecycle,
    autopilot,
    sticks,
    get listening() {
      return inbox.listening;
    },
  };
}
