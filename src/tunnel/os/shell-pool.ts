import { CommandError, LIMIT_MS, type Os, type RunOptions, realOs } from "./os";
import { PersistentShell } from "./persistent-shell";

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
    const ended = await shell.run(command, input, LIMIT_MS).finally(() => this.idle.push(shell));
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
