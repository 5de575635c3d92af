import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "../../testing";
import { CommandError, realOs } from "./os";

const failure = async (run: Promise<unknown>): Promise<CommandError> => {
  const error = await run.then(
    () => undefined,
    (error) => error,
  );
  expect(error).toBeInstanceOf(CommandError);
  return error;
};

test("a program gets its input, and its output is returned", async () => {
  expect(await realOs.run(["tr", "a-z", "A-Z"], { input: "peer\n" })).toBe("PEER\n");
});

test("a program that fails is named with its status and what it said", async () => {
  const { status, message, missing } = await failure(
    realOs.run(["sh", "-c", "echo no such peer >&2; exit 3"]),
  );
  expect({ status, missing }).toEqual({ status: 3, missing: false });
  expect(message).toContain("no such peer");
});

test("a program that is not installed gets its own error", async () => {
  expect(await failure(realOs.run(["fleet-no-such-program"]))).toMatchObject({ missing: true });
});

describe("a secret input", () => {
  const secret = "a-secret-of-the-test-s";

  test("is read by the program from /dev/stdin", async () => {
    expect(await realOs.run(["cat", "/dev/stdin"], { input: secret, secret: true })).toBe(secret);
  });

  test("is in no process's arguments or environment", async () => {
    const file = join(freshFolder("os"), "processes");
    const script = `cat >/dev/null; cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ >${file} 2>/dev/null; true`;
    await realOs.run(["sh", "-c", script], { input: secret, secret: true });
    const seen = readFileSync(file, "latin1");
    expect(seen).toContain("cat >/dev/null");
    expect(seen).not.toContain(secret);
  });

  test("is not in the error of a program that repeats it", async () => {
    const error = await failure(
      realOs.run(["sh", "-c", "cat /dev/stdin >&2; exit 1"], { input: secret, secret: true }),
    );
    expect(error.status).toBe(1);
    expect(JSON.stringify([error, error.message, error.stack, error.stderr])).not.toContain(secret);
  });

  test("is not in the error of `wg`, which quotes an invalid key", async () => {
    const command = ["wg", "set", "fleet-none", "listen-port", "1", "private-key", "/dev/stdin"];
    const kept = await failure(realOs.run(command, { input: `${secret}\n`, secret: true }));
    expect(kept.message).toContain("wg set fleet-none");
    expect(JSON.stringify([kept, kept.message, kept.stack])).not.toContain(secret);
  });
});
