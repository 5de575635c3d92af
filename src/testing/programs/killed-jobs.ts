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
import { KilledProcess } from "./killed-process";

/** A fake mailer that keeps the mails. */
export class FakeMailer implements Mailer {
  readonly mails: Mail[] = [];
  send = async (mail: Mail) => void this.mails.push(mail);
  close = () => undefined;
}

export interface FlightWithAsset {
  readonly user: TestUser;
  readonly vehicle: number;
  readonly execution: number;
  readonly asset: number;
  readonly mailer: FakeMailer;
}

export interface TestAsset {
  readonly file_name: string;
  readonly asset_type: string;
  content(): Promise<Buffer>;
}

export const picture: TestAsset = {
  file_name: "a.png",
  asset_type: "image",
  content: () =>
    sharp({ create: { width: 64, height: 48, channels: 3, background: "#246" } })
      .png()
      .toBuffer(),
};

let encoded: Promise<Buffer> | undefined;

/** Nine seconds: several HLS segments. */
export const video: TestAsset = {
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

/** An ended execution with one uploaded asset. */
export async function flightWithAsset(
  gateway: TestGateway,
  { file_name, asset_type, content }: TestAsset,
): Promise<FlightWithAsset> {
  const user = await gateway.newUser();
  const { body } = await user.api.post("/drone", { type: "sitl", name: "Surveyor", vehicle_type: "copter" });
  const drone = droneClient(gateway.api, body.ip);
  const execution = (await drone.post("/executions/start", {})).body.id;
  const uploadRequest = { file_name, asset_type, execution_id: execution };
  const { asset_id } = await upload(drone, uploadRequest, await content());
  await drone.post(`/executions/${execution}/complete`, { status: "completed" });
  return { user, vehicle: body.id, execution, asset: asset_id, mailer: new FakeMailer() };
}

/** Runs a job that is killed before the given step; returns the steps that it took. */
export async function runJobKilledAt(
  step: number,
  { deps }: TestGateway,
  task: string,
  payload: object,
  mailer = new FakeMailer(),
): Promise<KilledProcess> {
  const killed = new KilledProcess(step);
  const tasks = await composeTasks({
    ...deps,
    db: killed.intercept(deps.db, "database"),
    store: killed.intercept(deps.store, "store"),
    mailer: killed.intercept(mailer, "mail"),
  });
  const done = tasks[task]?.(payload, new AbortController().signal);
  await done?.catch((error: unknown) => {
    if (!killed.isKilled) throw error;
  });
  return killed;
}
