import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { encodeCommand } from "../../platform/redis/resp";
import { freshRedis, redisClient } from "../fresh-servers";
import { until } from "../until";
import { connectFrom, startEdge, type TestEdge } from "./start-edge";

export const DRONE_IP = "127.0.9.2";
/** Its address begins as the other's does. */
export const OTHER_DRONE_IP = "127.0.9.20";

const command = encodeCommand;

/** An edge and its Redis, with two drones. Call it in `beforeAll`, and `closeConnections` in `afterEach`. */
export async function startRedisEdge() {
  const { url } = await freshRedis();
  const opened = new Set<Socket>();

  /** Another edge with the same drones. */
  const edgeTo = (url: string, limit: { bytesPerSecond?: number } = {}) =>
    startEdge([DRONE_IP, OTHER_DRONE_IP], {
      redis: { port: 0, url, secret: "what only the edge knows", ...limit },
    });

  // The user `default` has no password and all rights.
  const admin = await redisClient(url);
  // As Redis was before 7.0, and may still be told to be: a new user hears everything.
  await admin.config("SET", "acl-pubsub-default", "allchannels");
  const main = await edgeTo(url);

  /** A drone's bare connection to the edge. */
  function connectTo(drone: string, { edge }: TestEdge = main) {
    const raw = connectFrom(drone, edge.url("redis") as string);
    opened.add(raw.socket);
    return raw;
  }

  /** The first reply. */
  async function answered(drone: string, bytes: Buffer, of?: TestEdge): Promise<string> {
    const { socket, said } = connectTo(drone, of);
    socket.write(bytes);
    await until(() => said() !== "");
    socket.destroy();
    return said();
  }

  await until(async () => (await answered(DRONE_IP, command("PING"))) === "+PONG\r\n");
  return {
    url,
    admin,
    edge: main,
    client: () => redisClient(url),
    edgeTo,
    connectTo,
    answered,

    /** A drone's bare connection on which these were sent, each in a packet of its own. */
    async say(drone: string, ...parts: (string | Buffer)[]) {
      const raw = connectTo(drone);
      for (const part of parts) {
        raw.socket.write(part);
        await delay(10);
      }
      return raw;
    },

    /** Each drone may have a few connections only. */
    async closeConnections(): Promise<void> {
      for (const socket of opened) socket.destroy();
      opened.clear();
      await until(async () =>
        (await main.metrics()).includes('fleet_edge_connections{service="redis",process="test"} 0'),
      );
    },
  };
}

export type RedisEdge = Awaited<ReturnType<typeof startRedisEdge>>;
