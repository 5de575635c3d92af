import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compileOnLoad } from "../../platform/process/program";
import { freshFolder } from "../fresh-servers";
import { CleanupStack } from "./cleanup-stack";

/** The program, and its lines as they come. */
function start(folder: string): { child: ChildProcess; next: () => Promise<string> } {
  const program = join(__dirname, "cleanup-stack-program.ts");
  const child = spawn(process.execPath, ["--require", compileOnLoad, program, folder], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return { child, next: async () => (await lines.next()).value };
}

/** Whether the URL has a listener. */
const answers = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("close", () => socket.destroy());
  });

test.each(["SIGINT", "SIGTERM"] as const)(
  "a program that is interrupted by %s ends its server, though another cannot be stopped",
  async (signal) => {
    const { child, next } = start(freshFolder("stops"));
    expect(await next()).toBe("starting");
    const url = await next();
    expect(await answers(url)).toBe(true);
    child.kill(signal);
    const [code] = await once(child, "exit");
    expect(code).toBe(130);
    expect(await answers(url)).toBe(false);
    expect(await next()).toBe("folder");
  },
);

test("a server that is still starting at the clean-up is stopped once it has started", async () => {
  const order: string[] = [];
  const stops = new CleanupStack();
  let stand = (): void => undefined;
  const starting = new Promise<{ stop: () => void }>((resolve) => {
    stand = () => resolve({ stop: () => order.push("server") });
  });
  stops.add(() => order.push("folder"));
  const kept = stops.keep(starting);
  const cleared = stops.clear();
  expect(order).toEqual([]);
  stand();
  await Promise.all([kept, cleared, stops.clear()]);
  expect(order).toEqual(["server", "folder"]);
});

test("a server that did not start is not stopped, and its error reaches the caller", async () => {
  const stops = new CleanupStack();
  await expect(stops.keep(Promise.reject(new Error("no port is free")))).rejects.toThrow("no port is free");
  await stops.clear();
  expect(process.listeners("SIGINT").some((listener) => listener.name.includes("interrupted"))).toBe(false);
});
