import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "../../testing";
import { loadSecrets } from "./secrets";
import { lockStateFolder, wipeStateFolder } from "./state-folder";

test("the lock of a killed stack does not prevent a start", () => {
  const folder = freshFolder("state");
  // Our own pid, and that of a program which is no stack.
  for (const pid of [process.pid, process.ppid]) {
    writeFileSync(join(folder, "stack.pid"), `${pid}\n`);
    lockStateFolder(folder)();
  }
  expect(existsSync(join(folder, "stack.pid"))).toBe(false);
});

test("secrets are made once, differ from folder to folder, and only their owner can read them", () => {
  const folder = freshFolder("state");
  const first = loadSecrets(folder);
  expect(loadSecrets(folder)).toEqual(first);
  expect(loadSecrets(freshFolder("state")).jwt).not.toBe(first.jwt);
  expect(statSync(join(folder, "secrets.json")).mode & 0o777).toBe(0o600);
  expect(first.jwt.length).toBeGreaterThanOrEqual(32);
});

test("a secret that a newer version needs is added without changing the others", () => {
  const folder = freshFolder("state");
  writeFileSync(join(folder, "secrets.json"), JSON.stringify({ databasePassword: "old" }));
  const secrets = loadSecrets(folder);
  expect(secrets.databasePassword).toBe("old");
  expect(secrets.jwt).toBeTruthy();
});

test("a wipe removes everything but the lock", async () => {
  const folder = freshFolder("state");
  const release = lockStateFolder(folder);
  loadSecrets(folder);
  await wipeStateFolder(folder);
  expect(existsSync(join(folder, "secrets.json"))).toBe(false);
  expect(existsSync(join(folder, "stack.pid"))).toBe(true);
  release();
});
