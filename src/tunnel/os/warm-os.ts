import { CommandError, LIMIT_MS, type Os, type RunOptions, realOs } from "./os";
import { WarmShell } from "./warm-shell";

/** Shells that are kept. What is asked for while all of them work starts a process of its own. */
const MOST_SHELLS = 4;
/** A shell reads longer input more slowly than a process starts. */
const MOST_INPUT = 64 * 1024;
/** What a shell says of a program that is not there. */
const NOT_FOUND = 127;

/**
 * The real machine, its programs started by small shells that are kept for it. A large process that starts one
 * itself stands still for some ten milliseconds, since all of its memory is marked to be copied.
 */
export class WarmOs implements Os {
  private shells: WarmShell[] = [];
  private readonly idle: WarmShell[] = [];

  /** `prefix`: words before a command that is to run in another place, such as a namespace. */
  constructor(private readonly prefix: readonly string[] = []) {}

  /** Programs only: a word that the shell has itself, such as `kill`, would mean something else. */
  async run(command: readonly string[], options: RunOptions = {}): Promise<string> {
    const { input = "", secret = false } = options;
    const shell = secret || input.length > MOST_INPUT ? undefined : this.takeShell();
    if (!shell) return realOs.run([...this.prefix, ...command], options);
    const ended = await shell.run(command, input, LIMIT_MS).finally(() => this.idle.push(shell));
    if (ended?.status === 0) return ended.stdout;
    throw new CommandError(command, ended?.status, ended?.stderr ?? "", ended?.status === NOT_FOUND);
  }

  startDetached(command: readonly string[]): Promise<void> {
    return realOs.startDetached([...this.prefix, ...command]);
  }

  private takeShell(): WarmShell | undefined {
    this.shells = this.shells.filter(({ isSound }) => isSound);
    for (let shell = this.idle.pop(); shell; shell = this.idle.pop()) if (shell.isSound) return shell;
    if (this.shells.length >= MOST_SHELLS) return undefined;
    const shell = new WarmShell(this.prefix);
    this.shells.push(shell);
    return shell;
  }
}
