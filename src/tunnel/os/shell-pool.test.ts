import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder } from "../../testing/fresh-servers";
import { until } from "../../testing/until";
import { CommandError, LIMIT_MS } from "./os";
import { ShellPool } from "./shell-pool";

const os = new ShellPool();

test("a program's output is returned unchanged, whatever its arguments hold", async () => {
  const odd = ["it's", '"$HOME" `id` $(id)', "a\nb", "", "-n", "ü ☃", "\\0 \\n %s"];
  expect(await os.run(["printf", "%s|", ...odd])).toBe(odd.map((word) => `${word}|`).join(""));
});

test("a program gets its input unchanged, of any length", async () => {
  for (const input of ["-n\n", "it's $(id)\nno newline at the end", "\\\n", `${"x".repeat(200_000)}\n`]) {
    expect(await os.run(["cat"], { input })).toBe(input);
  }
  expect(await os.run(["cat"])).toBe("");
});

test("megabytes of output are returned whole", async () => {
  const text = await os.run(["seq", "1", "300000"]);
  expect(text.split("\n")).toHaveLength(300_001);
  expect(text.endsWith("\n299999\n300000\n")).toBe(true);
});

test("a program that fails is named with its status and its error output, and the next one runs", async () => {
  const failure = await os.run(["ls", "/not here"]).catch((error) => error);
  expect(failure).toBeInstanceOf(CommandError);
  expect(failure).toMatchObject({ status: 2, missing: false });
  expect(failure.message).toContain("ls /not here failed (2)");
  expect(failure.stderr).toContain("/not here");
  expect(await os.run(["hostname"])).not.toBe("");
});

test("a program that is not installed is reported as missing", async () => {
  await expect(os.run(["no-such-program"])).rejects.toMatchObject({ missing: true });
});

test("a secret is kept out of the shell's own script, and out of the error", async () => {
  expect(await os.run(["cat", "/dev/stdin"], { input: "hush\n", secret: true })).toBe("hush\n");
  const failed = os.run(["sh", "-c", "cat >&2; exit 3"], { input: "hush\n", secret: true });
  const failure = await failed.catch((error) => error);
  expect(failure.status).toBe(3);
  expect(failure.message).not.toContain("hush");
});

test("more programs than shells run concurrently", async () => {
  const flag = join(freshFolder("flag"), "flag");
  // Each of these ends only because the last one runs meanwhile.
  const waiting = Array.from({ length: 6 }, () =>
    os.run(["sh", "-c", `until [ -e ${flag} ]; do sleep 0.02; done; echo seen`]),
  );
  await os.run(["touch", flag]);
  expect(await Promise.all(waiting)).toEqual(Array(6).fill("seen\n"));
});

test("a shell runs one program after the other", async () => {
  const pool = new ShellPool();
  const parent = () => pool.run(["sh", "-c", "echo $PPID"]);
  const first = await parent();
  expect(first).toMatch(/^\d+\n$/);
  expect(await parent()).toBe(first);
});

test("a program that exceeds the limit is killed with its shell, and the next one gets another shell", async () => {
  const pool = new ShellPool();
  const parent = () => pool.run(["sh", "-c", "echo $PPID"]);
  const first = await parent();
  jest.useFakeTimers({ doNotFake: ["nextTick"] });
  const slow = pool.run(["sleep", "60"]);
  jest.advanceTimersByTime(LIMIT_MS);
  jest.useRealTimers();
  await expect(slow).rejects.toMatchObject({ name: "CommandError", status: undefined, missing: false });
  await until(() => !isRunning(Number(first)));
  expect(await parent()).not.toBe(first);
});

test("a killed shell rejects only its own program; the next program gets another shell", async () => {
  const killed = os.run(["sh", "-c", "kill -9 $PPID; sleep 60"]);
  await expect(killed).rejects.toMatchObject({ name: "CommandError", status: undefined });
  expect(await os.run(["printf", "%s", "well"])).toBe("well");
});

test("an argument that would end the command early is refused", async () => {
  await expect(os.run(["printf", "%s", "a\0b"])).rejects.toThrow(TypeError);
  expect(await os.run(["printf", "%s", "well"])).toBe("well");
});

function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}
