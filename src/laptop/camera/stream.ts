import type { Environment } from "../../platform/config";
import { JanusApi } from "../../platform/janus";
import { payloadsOf } from "./h264";
import { type Picture, startPicture } from "./picture";
import { publish } from "./publisher";
import { readState, type Source } from "./state";

/** How soon the end of the owner and another source are noticed. */
const LOOK_MS = 500;

/**
 * Streams into the room of the state in `folder`. Ends with the room, the media server, ffmpeg and the owner, and by
 * SIGTERM; then exits the process.
 */
export async function stream(folder: string, env: Environment): Promise<void> {
  const terminated = new Promise<string>((resolve) =>
    process.once("SIGTERM", () => resolve("It was stopped.")),
  );
  const { room } = readState(folder);
  if (!room || !env.JANUS_URL) throw new Error("The camera knows no room, or JANUS_URL is missing.");
  const api = new JanusApi({ url: env.JANUS_URL, apiSecret: env.JANUS_API_SECRET });
  const publisher = await publish(api, room);
  const camera = new Camera(readState(folder).source, (nalUnits) => publisher.send(payloadsOf(nalUnits)));
  const ownerEnded = new Promise<string>((resolve) => {
    setInterval(() => {
      if (!isAlive(Number(env.CAMERA_OWNER_PID))) resolve("The process that it belongs to has ended.");
      else camera.show(readState(folder).source);
    }, LOOK_MS);
  });
  console.error(await Promise.race([terminated, publisher.ended, camera.failed, ownerEnded]));
  camera.stop();
  await publisher.stop();
  process.exit();
}

/** Shows one source at a time. */
class Camera {
  /** Resolves with the reason when there is no picture any more. */
  readonly failed: Promise<string>;
  private fail: (reason: string) => void = () => undefined;
  private picture: Picture;

  constructor(
    private source: Source,
    private readonly onPicture: (nalUnits: readonly Buffer[]) => void,
  ) {
    this.failed = new Promise((resolve) => {
      this.fail = resolve;
    });
    this.picture = this.start();
  }

  show(source: Source): void {
    if (source === this.source) return;
    this.source = source;
    this.picture.stop();
    this.picture = this.start();
  }

  stop(): void {
    this.picture.stop();
  }

  private start(): Picture {
    const picture = startPicture(this.source, this.onPicture);
    void picture.ended.then((reason) => {
      if (this.picture === picture) this.fail(reason);
    });
    return picture;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
