import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { freshFolder } from "../../../testing";
import { until } from "../../../testing/until";
import { startTestGateway } from "../../../testing/worlds/start-gateway";
import { droneClient, upload } from "../../../testing/worlds/uploads";
import { isBadInput, runFfmpeg } from "./ffmpeg";

const limits = { signal: new AbortController().signal, timeout: 20_000 };

let asked: string[];
let other: Server;
let address: string;
beforeEach(async () => {
  asked = [];
  other = createServer((request, response) => {
    asked.push(request.url as string);
    response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(other, "listening");
  address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});
afterEach(() => void other.close());

const playlist = (to: string) =>
  `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n${to}/secret.ts\n#EXT-X-ENDLIST\n`;
const session = "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n";
const list = (to: string) => `ffconcat version 1.0\nfile ${to}/secret.mp4\n`;

test("a playlist uploaded as a video cannot be played, and its URLs are not requested", async () => {
  const gateway = await startTestGateway({ WORKER_IN_PROCESS: "true" });
  const user = await gateway.newUser();
  const drone = { type: "sitl", name: "Eye", vehicle_type: "copter" };
  const vehicle = (await user.api.post("/drone", drone)).body;
  const contents = { "a.m3u8": playlist(address), "b.mp4": playlist(address), "c.mp4": list(address) };
  for (const [file_name, content] of Object.entries({ ...contents, "d.sdp": session }))
    await upload(droneClient(gateway.api, vehicle.ip), { file_name, asset_type: "video" }, content);
  await until(async () => {
    const { body } = await user.api.get(`/assets/video/${vehicle.id}`);
    return body.data.length === 4 && body.data.every(({ stream }: { stream: string }) => stream === "failed");
  });
  expect(asked).toEqual([]);
}, 120_000);

test("a refused connection of ffmpeg is retried", async () => {
  const source = `${address}/video.mp4`;
  const out = join(freshFolder("video"), "out.ts");
  const error: Error = await runFfmpeg(source, ["-c", "copy", out], limits).then(
    () => new Error("It could be read."),
    (error: Error) => error,
  );
  expect(error.message).toMatch(/^ffmpeg: .*404/s);
  expect(isBadInput(error)).toBe(false);
  expect(asked).toHaveLength(1);
});
