import { createLogger } from "../../../platform/process/log";
import { openRedis } from "../../../platform/redis/client";
import { Publisher } from "../../../relay/redis/publisher";
import { dialThroughJumphost } from "../../../vehicle/dialers/jumphost";
import { atEndOfFile } from "../../clean-up";
import { freshRedis } from "../../fresh-servers";
import { until } from "../../until";
import { startJumphost } from "../../worlds/jumphost";
import { asRoot } from "../namespaces";
import { Network } from "./network";

/** Covers the timeout of one failed connection attempt and the pause after it. */
const BACK_MS = 3_500;
const quiet = createLogger("test", "silent");

let network: Network;
let neighbour: string;
beforeAll(async () => {
  network = Network.own();
  neighbour = (await freshRedis()).url;
});

asRoot.each<[string, (url: string) => { isUp(): boolean; stop(): void }]>([
  [
    "a client",
    (url) => {
      const redis = openRedis(url, quiet);
      return { isUp: () => redis.status === "ready", stop: () => redis.disconnect() };
    },
  ],
  [
    "the relay's publisher",
    (url) => {
      const options = { log: quiet, stallMs: 500, delay: { observe: () => {} }, onDown: () => {} };
      const publisher = new Publisher(url, options);
      return { isUp: () => publisher.up, stop: () => publisher.stop() };
    },
  ],
])("%s reconnects to Redis soon after a failover during a connection attempt", async (_who, open) => {
  const path = network.path(neighbour);
  const one = open(path.url);
  atEndOfFile(async () => one.stop());
  await until(() => one.isUp());
  network.lose([path], 1);
  await until(() => !one.isUp());
  const { lost } = network;
  await until(() => network.lost > lost);
  network.replace([path]);
  const replacedAt = performance.now();
  await until(() => one.isUp());
  expect(performance.now() - replacedAt).toBeLessThan(BACK_MS);
});

asRoot("a gateway stops waiting for an unreachable jumphost before its limit for the vehicle", async () => {
  const path = network.path((await startJumphost()).url);
  network.lose([path], 1);
  const dial = dialThroughJumphost({ url: path.url });
  const askedAt = performance.now();
  const target = { key: "1", host: "127.0.0.1", port: 5_760, via: "jumphost" } as const;
  await expect(dial(target, AbortSignal.timeout(10_000))).rejects.toMatchObject({
    code: "vehicle_unreachable",
    cause: expect.objectContaining({ message: "the jumphost does not answer" }),
  });
  expect(performance.now() - askedAt).toBeLessThan(BACK_MS);
});
