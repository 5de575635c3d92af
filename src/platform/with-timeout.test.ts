import { setTimeout as delay } from "node:timers/promises";
import { withTimeout } from "./with-timeout";

test("a promise that settles in time gives its result or its own error", async () => {
  await expect(withTimeout(Promise.resolve(7), 1_000, "late")).resolves.toBe(7);
  await expect(withTimeout(Promise.reject(new Error("its own")), 1_000, "late")).rejects.toThrow("its own");
});

test("a promise that does not settle is rejected with the message, and a later failure of it is handled", async () => {
  const unhandled = jest.fn();
  process.on("unhandledRejection", unhandled);
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<never>((_, reject) => {
    fail = reject;
  });
  await expect(withTimeout(work, 1, "Redis does not answer.")).rejects.toThrow("Redis does not answer.");
  fail(new Error("too late"));
  await delay(1);
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
