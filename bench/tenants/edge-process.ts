import type { Ipv4 } from "../../src/domain/ipv4";
import { createLogger } from "../../src/platform/process/log";
import { createMetrics } from "../../src/platform/process/metrics";
import { Edge } from "../../src/tunnel/edge/edge";
import { answer } from "../relay/child";
import type { DroneAtEdge } from "./world";

/** An address of loopback that stands for the attacker's drone in the tunnel. */
const DRONE = "127.0.10.2" as Ipv4;

/** The tunnel's way to Redis, as one drone has it. */
const edge = new Edge({
  host: "127.0.0.1",
  gateway: { port: 0, url: undefined, secret: undefined },
  objects: undefined,
  redis: { port: 0, url: process.env.REDIS_URL as string, secret: "a secret for benchmarks only" },
  live: () => new Map([[DRONE, { ip: DRONE, keyId: "key" }]]),
  isSettled: () => true,
  log: createLogger("edge", "silent"),
  registry: createMetrics("edge"),
});

answer({
  open: async (): Promise<DroneAtEdge> => {
    await edge.refresh();
    return { ip: DRONE, redis: edge.url("redis") as string };
  },
});
