import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { composeTasks } from "../../gateway/worker/tasks";
import type { Mail, Mailer } from "../../platform/mail";
import { freshFolder } from "../fresh-servers";
import type { TestGateway, TestUser } from "../worlds/start-gateway";
import { droneClient, upload } from "../worlds/uploads";
import { Doom } from "./killed";

/** A fake mail server: it keeps what it takes. */
export class MailBag implements Mailer {
  readonly mails: Mail[] = [];
  send = async (mail: Mail) => void this.mails.push(mail);
  close = () => undefined;
}

export interface FlownWorld {
  readonly user: TestUser;
  readonly vehicle: number;
  readonly execution: number;
  readonly asset: number;
  readonly bag: MailBag;
}

export interface Brought {
  readonly file_name: string;
  readonly asset_type: string;
  content(): Promise<Buffer>;
}

export const picture: Brought = {
  file_name: "a.png",
  asset_type: "image",
  content: () =>
    sharp({ create: { width: 64, height: 48, channels: 3, background: "#246" } })
      .png()
      .toBuffer(),
};

let encoded: Promise<Buffer> | undefined;

/** Nine seconds, which are several segments. */
export const video: Brought = {
  file_name: "a.mp4",
  asset_type: "video",
  content() {
    encoded ??= encode();
    return encoded;
  },
};

async function encode(): Promise<Buffer> {
  const file = join(freshFolder("video"), "a.mp4");
  const source = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=9"];
  const encoding = ["-c:v", "libx264", "-g", "10", "-pix_fmt", "yuv420p"];
  await promisify(execFile)("ffmpeg", ["-v", "error", ...source, ...encoding, file]);
  return readFile(file);
}

/** A flight with one asset that has arrived. */
export async function flownWorld(
  gateway: TestGateway,
  { file_name, asset_type, content }: Brought,
): Promise<FlownWorld> {
  const user = await gateway.newUser();
  const { body } = await user.api.post("/drone", { type: "sitl", name: "Surveyor", vehicle_type: "copter" });
  const drone = droneClient(gateway.api, body.ip);
  const execution = (await drone.post("/executions/start", {})).body.id;
  const wish = { file_name, asset_type, execution_id: execution };
  const { asset_id } = await upload(drone, wish, await content());
  await drone.post(`/executions/${execution}/complete`, { status: "completed" });
  return { user, vehicle: body.id, execution, asset: asset_id, bag: new MailBag() };
}

/** Do the job in a process that dies before the given step; returns how far it came. */
export async function workUntil(
  dieAtStep: number,
  { deps }: TestGateway,
  task: string,
  payload: object,
  bag = new MailBag(),
): Promise<Doom> {
  const doom = new Doom(dieAtStep);
  const tasks = await composeTasks({
    ...deps,
    db: doom.on(deps.db, "database"),
    store: doom.on(deps.store, "store"),
    mailer: doom.on(bag, "mail"),
  });
  const done = tasks[task]?.(payload, new AbortController().signal);
  await done?.catch((error: unknown) => {
    if (!doom.struck) throw error;
  });
  return doom;
}
