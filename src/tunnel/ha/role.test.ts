import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLogger } from "../../platform/process/log";
import { atEndOfFile } from "../../testing";
import { freshFolder } from "../../testing/fresh-servers";
import { until } from "../../testing/until";
import { type LeaseRecord, type LeaseStore, monotonicMs } from "./lease";
import { LeaseFile } from "./lease-file";
import { LeasedRole, type LeasedRoleOptions } from "./role";

/** Whose it is, and what was done with it in its order. */
class KeptLease implements LeaseStore {
  record: LeaseRecord = { holder: "", durationSeconds: 1, transitions: 0, version: "0" };
  constructor(private readonly done: string[]) {}

  read = async () => this.record;
  write = async (input: Omit<LeaseRecord, "version">) => {
    this.record = { ...input, version: `${Number(this.record.version) + 1}` };
    this.done.push(input.holder ? "taken" : "released");
    return this.record;
  };
}

function hub(options: Partial<LeasedRoleOptions> = {}) {
  const done: string[] = [];
  const store = new KeptLease(done);
  const path = join(freshFolder("lease"), "lease.json");
  const leaseFile = new LeaseFile(path);
  const role = new LeasedRole({
    ...{ store, leaseFile, identity: "one", durationMs: 60_000, deadlineMs: 30_000, retryMs: 10_000 },
    now: monotonicMs,
    loadEndpoints: async () => {},
    saveEndpoints: async () => void done.push("saved"),
    onActive: () => void done.push("active"),
    onStandby: async () => void done.push("standby"),
    metrics: { active: () => {}, leaseFailed: () => {} },
    log: createLogger("test", "silent"),
    ...options,
  });
  atEndOfFile(() => role.stop());
  return { role, store, leaseFile, path, done };
}

test("a hub that stops saves its endpoints, stands by and stores its lease as expired before it releases it", async () => {
  const { role, store, leaseFile, done } = hub();
  const write = store.write;
  const untilAtRelease: (number | undefined)[] = [];
  store.write = async (input) => {
    if (input.holder === "") untilAtRelease.push(leaseFile.read()?.until);
    return write(input);
  };
  await role.start();
  expect(role.isActive).toBe(true);
  await role.stop();
  expect([...new Set(done)]).toEqual(["taken", "active", "saved", "standby", "released"]);
  expect(done.at(-1)).toBe("released");
  expect(untilAtRelease).toEqual([0]);
});

test("a hub whose interfaces may still be up does not release its lease", async () => {
  const { role, store, done } = hub({ onStandby: () => Promise.reject(new Error("An interface stays up.")) });
  await role.start();
  await role.stop();
  expect(done).not.toContain("released");
  expect(store.record.holder).toBe("one");
});

test("a hub that loses and retakes the lease while it loads endpoints becomes active once, after the last load", async () => {
  const learning: (() => void)[] = [];
  let pausedMs = 0;
  const { role, done } = hub({
    retryMs: 20,
    now: () => monotonicMs() + pausedMs,
    loadEndpoints: () => new Promise((resolve) => void learning.push(resolve)),
  });
  const started = role.start();
  await until(() => learning.length === 1);
  pausedMs = 40_000;
  await until(() => learning.length === 2);
  learning[0]?.();
  await new Promise(setImmediate);
  expect([role.isActive, done.includes("active")]).toEqual([false, false]);
  learning[1]?.();
  await started;
  await until(() => role.isActive);
  expect(done.filter((one) => one === "active")).toHaveLength(1);
});

test("a lease that was stored before the machine booted is ignored", () => {
  const { leaseFile, path } = hub();
  leaseFile.write(monotonicMs() + 1_000);
  expect(leaseFile.read()).toMatchObject({ by: process.pid });
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), boot: "another start" }));
  expect(leaseFile.read()).toBeUndefined();
});
