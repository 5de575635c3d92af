import { fork } from "node:child_process";
import { once } from "node:events";

/** What a server process tells its parent. */
export type Report = { readonly url: string } | { readonly cpuMicroseconds: number };

/** A server in a process of its own, under load from this one. */
export interface Child {
  readonly url: string;
  /** CPU time, user and system, since its start. */
  cpuMicroseconds(): Promise<number>;
  stop(): Promise<void>;
}

export async function startChild(module: string, env: Record<string, string>): Promise<Child> {
  const child = fork(module, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const report = async (): Promise<Report> => {
    const [first] = await Promise.race([
      once(child, "message"),
      ended.then(() => Promise.reject(new Error(`${module} ended before its report.`))),
    ]);
    return first as Report;
  };
  const { url } = (await report()) as Extract<Report, { url: string }>;
  return {
    url,
    cpuMicroseconds: async () => {
      const answer = report();
      child.send("cpu");
      return ((await answer) as Extract<Report, { cpuMicroseconds: number }>).cpuMicroseconds;
    },
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** In the child: say that it serves, then answer for its CPU time. */
export function reportToParent(url: string): void {
  const send = (report: Report) => process.send?.(report);
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    send({ cpuMicroseconds: user + system });
  });
  // A killed parent does not stop its children.
  process.once("disconnect", () => process.exit(1));
  send({ url });
}
