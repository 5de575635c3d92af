import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, FrameWriter } from "../../vehicle/mavlink/wire/codec";
import { common, minimal } from "../../vehicle/mavlink/wire/messages";
import { atEndOfFile } from "../clean-up";
import { freshFolder } from "../fresh-servers";

const BATCH_BYTES = 65_536;

function repeated(frame: () => Buffer): Buffer {
  const frames: Buffer[] = [];
  for (let size = 0; size < BATCH_BYTES; size += frames.at(-1)?.length ?? 0) frames.push(frame());
  return Buffer.concat(frames);
}

const writer = new FrameWriter(1, 1);
/** An ArduPilot copter's. */
const heartbeat = () =>
  writer.encode(build(minimal.Heartbeat, { type: 2, autopilot: 3, systemStatus: 3, mavlinkVersion: 3 }));

/** What a vehicle can flood its link with, each begun by a heartbeat. */
export const floods = {
  "status texts": Buffer.concat([
    heartbeat(),
    repeated(() => writer.encode(build(common.StatusText, { severity: 6, text: "A text of a flood" }))),
  ]),
  heartbeats: repeated(heartbeat),
  /** Begins of frames, whose checksums are computed and fail. */
  garbage: Buffer.concat([heartbeat(), repeated(() => Buffer.from([0xfd, 0xff, 0, 0, 0]))]),
} as const;

/** Sends the batch to each client as fast as that reads, from a process of its own. */
const program = `
  const batch = require("node:fs").readFileSync(process.argv[1]);
  let written = 0;
  let connections = 0;
  const server = require("node:net").createServer((socket) => {
    connections++;
    socket.on("error", () => {}).resume();
    const pour = () => socket.write(batch, (error) => {
      if (error) return;
      written += batch.length;
      pour();
    });
    pour();
  });
  const tell = () => console.log(JSON.stringify({ port: server.address().port, written, connections }));
  server.listen(0, process.argv[2], tell);
  setInterval(tell, 100);
  process.stdin.on("end", () => process.exit()).resume();
`;

export interface FloodingVehicle {
  readonly host: string;
  readonly port: number;
  /** Bytes that clients' kernels and its own have accepted so far. */
  readonly written: number;
  /** How often it was connected to. */
  readonly connections: number;
  stop(): void;
}

/** Stopped at the end of the test file at the latest. */
export async function floodingVehicle(batch: Buffer, host = "127.0.0.1"): Promise<FloodingVehicle> {
  const file = join(freshFolder("flood"), "batch");
  writeFileSync(file, batch);
  const child = spawn(process.execPath, ["-e", program, file, host], { stdio: ["pipe", "pipe", "inherit"] });
  const stop = () => void child.kill();
  atEndOfFile(async () => stop());
  let state = { port: 0, written: 0, connections: 0 };
  await new Promise<void>((resolve) =>
    child.stdout.on("data", (said) => {
      state = JSON.parse(String(said).trim().split("\n").at(-1) ?? "");
      resolve();
    }),
  );
  return {
    host,
    get port() {
      return state.port;
    },
    get written() {
      return state.written;
    },
    get connections() {
      return state.connections;
    },
    stop,
  };
}
