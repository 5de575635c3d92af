import { fork } from "node:child_process";
import { once } from "node:events";

/** A process of this benchmark, held to one core or to some: `0-1`. */
export interface Child {
  readonly pid: number;
  /** One question at a time; the answer is the result of `answer` in the child. */
  ask<Answer>(question: string, ...args: readonly unknown[]): Promise<Answer>;
  stop(): Promise<void>;
}

type Answers = Readonly<Record<string, (...args: never[]) => unknown>>;

export function startChild(module: string, core: number | string, env: Record<string, string> = {}): Child {
  const child = fork(module, {
    execPath: "taskset",
    execArgv: ["-c", String(core), process.execPath, "--expose-gc"],
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  return {
    pid: child.pid as number,
    ask: async <Answer>(question: string, ...args: readonly unknown[]) => {
      const answer = once(child, "message");
      child.send({ question, args });
      const [{ value, error }] = (await Promise.race([
        answer,
        ended.then(() => Promise.reject(new Error(`${module} ended before it answered ${question}.`))),
      ])) as [{ value: Answer; error?: string }];
      if (error) throw new Error(`${question}: ${error}`);
      return value;
    },
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** In the child: answer the parent's questions, and end with it. */
export function answer(answers: Answers): void {
  process.once("disconnect", () => process.exit(1));
  process.on("message", async ({ question, args }: { question: string; args: never[] }) => {
    try {
      process.send?.({ value: await answers[question]?.(...args) });
    } catch (error) {
      process.send?.({ value: undefined, error: String(error) });
    }
  });
}

/** What both servers tell of themselves. */
export const ownFigures = {
  cpuSeconds: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  },
  rssBytes: () => collected().rss,
  heapBytes: () => collected().heapUsed,
};

function collected(): NodeJS.MemoryUsage {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  return process.memoryUsage();
}
