import { setTimeout as delay } from "node:timers/promises";
import { Lifecycle } from "./lifecycle";
import { createLogger } from "./log";

const quiet = createLogger("test", "silent");

test("a stop drains first, and then closes in the reverse order of opening", async () => {
  const seen: string[] = [];
  const lifecycle = new Lifecycle(quiet, 1_000);
  lifecycle.onClose("database", () => seen.push("close database"));
  lifecycle.onClose("links", () => seen.push("close links"));
  lifecycle.onDrain("http", async () => {
    await Promise.resolve();
    seen.push(`drain while ${lifecycle.state}`);
  });
  lifecycle.ready();
  await lifecycle.stop("test");
  expect(seen).toEqual(["drain while draining", "close links", "close database"]);
  expect(lifecycle.state).toBe("stopped");
});

test("a step that fails does not stop the others", async () => {
  const lifecycle = new Lifecycle(quiet, 1_000);
  const closed = jest.fn();
  lifecycle.onClose("good", closed);
  lifecycle.onClose("bad", () => Promise.reject(new Error("stuck")));
  await lifecycle.stop("test");
  expect(closed).toHaveBeenCalledTimes(1);
});

test("a drain that does not end is ended at the limit", async () => {
  const lifecycle = new Lifecycle(quiet, 50);
  const closed = jest.fn();
  lifecycle.onDrain("stuck", () => new Promise(() => undefined));
  lifecycle.onClose("database", closed);
  await lifecycle.stop("test");
  expect(closed).toHaveBeenCalledTimes(1);
});

test("after a drain that used up the limit each closing step has a short time", async () => {
  const lifecycle = new Lifecycle(quiet, 20);
  const closed = jest.fn();
  lifecycle.onDrain("stuck", () => new Promise(() => undefined));
  lifecycle.onClose("last", closed);
  lifecycle.onClose("stuck", () => new Promise(() => undefined));
  lifecycle.onClose("lease", async () => {
    await delay(50);
    closed();
  });
  await lifecycle.stop("test");
  expect(closed).toHaveBeenCalledTimes(2);
});

test("two callers of stop wait for the same stop", async () => {
  const lifecycle = new Lifecycle(quiet, 1_000);
  const closed = jest.fn();
  lifecycle.onClose("database", closed);
  await Promise.all([lifecycle.stop("one"), lifecycle.stop("two")]);
  expect(closed).toHaveBeenCalledTimes(1);
});

test("a process that is draining is never ready again", async () => {
  const lifecycle = new Lifecycle(quiet, 1_000);
  const stopped = lifecycle.stop("test");
  lifecycle.ready();
  expect(lifecycle.state).toBe("draining");
  await stopped;
});
