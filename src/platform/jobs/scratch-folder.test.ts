import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { atEndOfFile } from "../../testing";
import { packageRoot } from "../process/version";
import { openScratchFolder, sweepScratchFolders } from "./scratch-folder";

// A short path: the name of a socket has little room.
const temporary = mkdtempSync(join(tmpdir(), "sweep-"));
afterAll(() => rmSync(temporary, { recursive: true }));

/** Another process, in whose folder lies a file. */
async function other(kind: string): Promise<{ path: string; child: ChildProcess }> {
  const program = join(packageRoot, "src/testing/programs/scratch-folder-program.ts");
  const child = spawn(process.execPath, ["--require", "@swc-node/register", program, kind], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "", TMPDIR: temporary },
  });
  atEndOfFile(async () => void child.kill("SIGKILL"));
  const [path] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line");
  writeFileSync(join(path, "segment-00000.ts"), "");
  return { path, child };
}

test("a folder of a killed process is removed, and folders in use, of another kind or of another program stay", async () => {
  const [killed, alive] = [await other("hls"), await other("hls")];
  const own = await openScratchFolder("hls", temporary);
  const unlike = await other("zip");
  mkdirSync(join(temporary, "hls-of-somebody-else"));
  expect(await sweepScratchFolders("hls", temporary)).toBe(0);

  for (const { child } of [killed, unlike]) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  expect(await sweepScratchFolders("hls", temporary)).toBe(1);
  expect([killed, alive, own, unlike].map(({ path }) => existsSync(path))).toEqual([false, true, true, true]);
  expect(existsSync(join(alive.path, "segment-00000.ts"))).toBe(true);

  await own.remove();
  alive.child.kill("SIGKILL");
  await once(alive.child, "exit");
  expect(await sweepScratchFolders("hls", temporary)).toBe(1);
  expect(
    readdirSync(temporary).filter((name) => name.startsWith("fleet-hls-") || name.startsWith("fleet-new-")),
  ).toEqual([]);
});

test("an incomplete folder of a killed process is removed when it is old and its socket does not answer", async () => {
  const hourAgo = new Date(Date.now() - 3_600_000);
  const [left, owned, fresh] = [1, 2, 3].map(() => mkdtempSync(join(temporary, "fleet-new-"))) as [
    string,
    string,
    string,
  ];
  const owner = createServer().listen(join(owned, "owner"));
  await once(owner, "listening");
  for (const path of [left, owned]) utimesSync(path, hourAgo, hourAgo);
  expect(await sweepScratchFolders("hls", temporary)).toBe(1);
  expect([left, owned, fresh].map((path) => existsSync(path))).toEqual([false, true, true]);
  owner.close();
});

test("a folder of a paused process is not removed", async () => {
  const { path, child } = await other("hls");
  child.kill("SIGSTOP");
  expect(await sweepScratchFolders("hls", temporary)).toBe(0);
  expect(existsSync(path)).toBe(true);
  child.kill("SIGKILL");
});

test("a folder whose owner cannot be determined is not removed", async () => {
  const { path, child } = await other("hls");
  child.kill("SIGSTOP");
  const callers: Socket[] = [];
  const call = async () => {
    const caller = connect(join(path, "owner")).on("error", () => {});
    callers.push(caller);
    await once(caller, "connect");
    return call();
  };
  // These connections are not accepted, until the listener's backlog is full.
  await expect(call()).rejects.toMatchObject({ code: "EAGAIN" });
  await sweepScratchFolders("hls", temporary);
  expect(existsSync(path)).toBe(true);
  for (const caller of callers) caller.destroy();
  child.kill("SIGKILL");
});
