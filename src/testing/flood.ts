import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { atEndOfFile } from "./clean-up";
import { freshFolder } from "./fresh-servers";
import { upgradeRequest } from "./raw-http";

/** WebSockets that send the same bytes without a pause, from a process of their own. */
export interface Flood {
  /** Bytes that the server's kernel has accepted so far. */
  readonly written: number;
  stop(): void;
}

/** Opens a WebSocket at each path, reads only its handshake, and writes the batch repeatedly. */
const program = `
  const [port, file, ...heads] = process.argv.slice(1);
  const batch = require("node:fs").readFileSync(file);
  let written = 0;
  for (const head of heads) {
    const socket = require("node:net").connect(Number(port), "127.0.0.1");
    socket.on("error", () => {}).write(Buffer.from(head, "base64"));
    const pour = () => socket.write(batch, (error) => {
      if (error) return;
      written += batch.length;
      pour();
    });
    socket.once("data", () => {
      socket.pause();
      pour();
    });
  }
  setInterval(() => process.stdout.write(written + "\\n"), 100);
  process.stdin.on("end", () => process.exit()).resume();
`;

/** Stopped at the end of the test file at the latest. */
export function flood(url: string, paths: readonly string[], batch: Buffer): Flood {
  const file = join(freshFolder("flood"), "batch");
  writeFileSync(file, batch);
  const heads = paths.map((path) => Buffer.from(upgradeRequest(path)).toString("base64"));
  const child = spawn(process.execPath, ["-e", program, new URL(url).port, file, ...heads], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const stop = () => void child.kill();
  atEndOfFile(async () => stop());
  let written = 0;
  child.stdout.on("data", (said) => {
    written = Number(String(said).trim().split("\n").at(-1));
  });
  return {
    get written() {
      return written;
    },
    stop,
  };
}
