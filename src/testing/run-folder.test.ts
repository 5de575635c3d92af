import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { startRedis } from "../laptop/servers/redis";
import { atEndOfFile } from ".";
import { clearAbandonedRuns, clearRunFolderNow, makeRunFolder, runFolder } from "./run-folder";

async function redisIn(folder: string) {
  const server = await startRedis({ folder: join(folder, "redis-1"), durable: false });
  atEndOfFile(() => server.stop());
  return server;
}

test("servers and folders of a killed run are removed; those of a live run stay", async () => {
  // The pid of a process that has ended.
  const { pid } = spawnSync("true");
  const abandoned = mkdtempSync(join(tmpdir(), `fleet-test-${hostname()}-${pid}-`));
  const server = await redisIn(abandoned);
  await clearAbandonedRuns();
  expect(await server.ended).toContain("Redis ended");
  expect(existsSync(abandoned)).toBe(false);
  expect(existsSync(runFolder())).toBe(true);
});

test("the folder of an interrupted run is removed at once, with its servers", async () => {
  const folder = makeRunFolder();
  mkdirSync(join(folder, "objects"));
  const server = await redisIn(folder);
  clearRunFolderNow(folder);
  expect(existsSync(folder)).toBe(false);
  expect(await server.ended).toContain("Redis ended");
});
