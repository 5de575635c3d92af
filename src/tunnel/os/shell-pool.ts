import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { CommandError, LIMIT_MS, type Os, type RunOptions, realOs } from "./os";

/** While all shells work, a command starts a process of its own. */
const MAX_SHELLS = 4;
/** For longer input, starting a process is faster than a shell that reads it. */
const MAX_INPUT_BYTES = 64 * 1024;
/** The exit status of a shell for a program that is not installed. */
const NOT_FOUND = 127;

/**
 * Runs programs of the real machine through a pool of persistent shells. When a large process forks by itself, it stops
 * for some ten milliseconds, since all of its memory is marked copy-on-write.
 */
export class ShellPool implements Os {
  private shells: PersistentShell[] = [];
  private readonly idle: PersistentShell[] = [];

  /** `prefix`: words before a command that is to run in another place, such as a namespace. */
  constructor(private readonly prefix: readonly string[] = []) {}

  /** Programs only: the shell's builtins, such as `kill`, would run instead of programs of the same name. */
  async run(command: readonly string[], options: RunOptions = {}): Promise<string> {
    const { input = "", secret = false } = options;
    const shell = secret || input.length > MAX_INPUT_BYTES ? undefined : this.takeShell();
    if (!shell) return realOs.run([...this.prefix, ...command], options);
    const ended = await shell.execute(command, input).finally(() => this.idle.push(shell));
    if (ended?.status === 0) return ended.stdout;
    throw new CommandError(command, ended?.status, ended?.stderr ?? "", ended?.status === NOT_FOUND);
  }

  private takeShell(): PersistentShell | undefined {
    this.shells = this.shells.filter(({ isUsable }) => isUsable);
    for (let shell = this.idle.pop(); shell; shell = this.idle.pop()) if (shell.isUsable) return shell;
    if (this.shells.length >= MAX_SHELLS) return undefined;
    const shell = new PersistentShell(this.prefix);
    this.shells.push(shell);
    return shell;
  }
}

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
class PersistentShell {
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
   * than `LIMIT_MS`; this shell is of no use from then on.
   */
  async execute(command: readonly string[], input: string): Promise<CommandResult | undefined> {
    if (!this.isUsable) return undefined;
    const words = command.map(quoted).join(" ");
    const fed = input === "" ? `${words} </dev/null` : `printf %s ${quoted(input)} | ${words}`;
    this.keepProcess(true);
    const limit = setTimeout(() => this.kill(), LIMIT_MS);
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
