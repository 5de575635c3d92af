import { Redis } from "ioredis";
import { createLogger } from "../platform/process/log";
import { atEndOfFile, freshRedis } from "../testing";
import { commandCalls } from "../testing/scrape";
import { until } from "../testing/until";
import { type ChannelMessage, DroneChannels } from "./drone-channels";

const quiet = createLogger("test", "silent");
const droneIp = "10.71.240.1";

test("pings are rare until a message comes, and then bound the age of those that follow", async () => {
  const { url } = await freshRedis();
  const received: ChannelMessage[] = [];
  const channels = new DroneChannels({
    ...{ url, droneIp, newestOnly: "gamepad_input", all: [], log: quiet },
    onMessage: (message) => received.push(message),
  });
  // It sends no pings of its own.
  const redis = new Redis(url);
  atEndOfFile(async () => {
    channels.stop();
    redis.disconnect();
  });
  await until(() => channels.subscribed);
  const pings = () => commandCalls(redis, "ping");
  const [before, since] = [await pings(), performance.now()];
  await until(async () => (await pings()) >= before + 3);
  expect(performance.now() - since).toBeGreaterThan(1_900);

  await redis.publish(`${droneIp}:gamepad_input`, "first");
  await until(() => received.length === 1);
  const first = await pings();
  // A second has one ping while nothing comes.
  await until(async () => (await pings()) >= first + 10, 5_000);
  const sentAt = performance.now();
  await redis.publish(`${droneIp}:gamepad_input`, "second");
  await until(() => received.length === 2);
  expect(sentAt - Number(received[1]?.pingSentAt)).toBeLessThan(300);
});
