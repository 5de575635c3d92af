import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";

/** A command's status and output. */
interface CommandResult {
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
  private readonly ended: Promise<undefined>;
  isUsable = true;

  /** `prefix`: words before `sh`, such as those that enter a namespace. */
  constructor(prefix: readonly string[]) {
    const [program, ...args] = [...prefix, "sh"];
    this.child = spawn(program as string, args, { detached: true });
    this.ended = new Promise((resolve) => {
      const end = () => {
        this.isUsable = false;
        resolve(undefined);
      };
      this.child.once("error", end).once("exit", end).stdin.on("error", end);
    });
    this.child.unref();
    this.keepProcess(false);
  }

  /**
   * Run a program to its end. Resolves with nothing when it, or the shell, was ended from outside or took longer
   * than `limitMs`; this shell is of no use from then on.
   */
  async run(command: readonly string[], input: string, limitMs: number): Promise<CommandResult | undefined> {
    if (!this.isUsable) return undefined;
    const words = command.map(quoted).join(" ");
    const fed = input === "" ? `${words} </dev/null` : `printf %s ${quoted(input)} | ${words}`;
    this.keepProcess(true);
    const limit = setTimeout(() => this.kill(), limitMs);
    const { stdin, stdout, stderr } = this.child;
    const output = Promise.all([upTo(/\0\d+\0$/, stdout), upTo(/\0$/, stderr)]);
    stdin.write(`${fed}; printf '\\0%d\\0' $?; printf '\\0' >&2\n`);
    const said = await Promise.race([output, this.ended]);
    clearTimeout(limit);
    this.keepProcess(false);
    if (!said) return undefined;
    const [[text = "", status], [complaint = ""]] = said;
    return { status: Number(status), stdout: text, stderr: complaint };
  }

  /** With the command that it runs. */
  private kill(): void {
    this.isUsable = false;
    try {
      if (this.child.pid !== undefined) process.kill(-this.child.pid, "SIGKILL");
    } catch {
      // It is gone.
    }
  }

  /** Whether what it runs is to be waited for before this process ends by itself. */
  private keepProcess(isRunning: boolean): void {
    for (const pipe of this.child.stdio) (pipe as Socket)[isRunning ? "ref" : "unref"]();
  }
}

/** Resolves with the parts of what the stream says until its end looks like `end`; a zero byte ends a part. */
function upTo(end: RegExp, stream: Readable): Promise<string[]> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      if (!end.test(Buffer.concat(chunks.slice(-2)).toString("latin1"))) return;
      stream.off("data", take);
      resolve(Buffer.concat(chunks).toString().split("\0"));
    };
    stream.on("data", take);
  });
}

const quoted = (word: string): string => {
  if (word.includes("\0")) throw new TypeError("A command cannot hold a zero byte.");
  return `'${word.replaceAll("'", `'\\''`)}'`;
};
