import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";

/** A command's status and output. */
export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A shell that runs one command at a time: idle → running → idle, until it ends. It ends when this process does,
 * which it does not keep alive, and has a session of its own: a signal that interrupts this process does not reach its command.
 */
export class PersistentShell {
  private readonly child: ChildProcessWithoutNullStreams;
  private hasEnded = false;
  private onEnd = (): void => {};

  /** `prefix`: words before `sh`, such as those that enter a namespace. */
  constructor(prefix: readonly string[]) {
    const [program, ...args] = [...prefix, "sh"];
    this.child = spawn(program as string, args, { detached: true });
    for (const event of ["error", "exit"]) this.child.once(event, () => this.end());
    this.child.stdin.on("error", () => this.end());
    this.child.unref();
    this.keepProcess(false);
  }

  get isUsable(): boolean {
    return !this.hasEnded;
  }

  /**
   * Run a program to its end. Resolves with nothing when it, or the shell, was ended from outside or took longer
   * than `limitMs`; this shell is of no use from then on.
   */
  async run(command: readonly string[], input: string, limitMs: number): Promise<CommandResult | undefined> {
    if (this.hasEnded) return undefined;
    const words = command.map(quoted).join(" ");
    const fed = input === "" ? `${words} </dev/null` : `printf %s ${quoted(input)} | ${words}`;
    this.keepProcess(true);
    const limit = setTimeout(() => this.kill(), limitMs);
    const { stdin, stdout, stderr } = this.child;
    const [out, err] = [new Parts(stdout, 2), new Parts(stderr, 1)];
    try {
      stdin.write(`${fed}; printf '\\0%d\\0' $?; printf '\\0' >&2\n`);
      const ended = new Promise<undefined>((resolve) => {
        this.onEnd = () => resolve(undefined);
      });
      const said = await Promise.race([Promise.all([out.whole, err.whole]), ended]);
      if (!said) return undefined;
      const [[text = "", status], [complaint = ""]] = said;
      return { status: Number(status), stdout: text, stderr: complaint };
    } finally {
      clearTimeout(limit);
      out.stop();
      err.stop();
      this.keepProcess(false);
    }
  }

  /** With the command that it runs. */
  private kill(): void {
    const { pid } = this.child;
    this.end();
    try {
      if (pid !== undefined) process.kill(-pid, "SIGKILL");
    } catch {
      // It is gone.
    }
  }

  private end(): void {
    this.hasEnded = true;
    this.onEnd();
  }

  /** Whether what it runs is to be waited for before this process ends by itself. */
  private keepProcess(isRunning: boolean): void {
    for (const pipe of this.child.stdio) {
      if (isRunning) (pipe as Socket).ref();
      else (pipe as Socket).unref();
    }
  }
}

/** Text in so many parts, each of which a zero byte ends. */
class Parts {
  readonly whole: Promise<string[]>;
  private readonly chunks: Buffer[] = [];
  private ends = 0;
  private resolve: (parts: string[]) => void = () => {};

  constructor(
    private readonly stream: Readable,
    private readonly count: number,
  ) {
    this.whole = new Promise((resolve) => {
      this.resolve = resolve;
    });
    stream.on("data", this.take);
  }

  stop(): void {
    this.stream.off("data", this.take);
  }

  private readonly take = (chunk: Buffer): void => {
    this.chunks.push(chunk);
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, at + 1)) this.ends++;
    if (this.ends >= this.count) this.resolve(Buffer.concat(this.chunks).toString().split("\0"));
  };
}

const quoted = (word: string): string => {
  if (word.includes("\0")) throw new TypeError("A command cannot hold a zero byte.");
  return `'${word.replaceAll("'", `'\\''`)}'`;
};
