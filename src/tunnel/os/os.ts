import { execFile } from "node:child_process";

/** The machine below: the one way by which the tunnel service looks at it or changes it. */
export interface Os {
  /** Run a program to its end. Resolves with what it printed; rejects with a `CommandError`. */
  run(command: readonly string[], options?: RunOptions): Promise<string>;
}

export interface RunOptions {
  readonly input?: string;
  /**
   * The input is a secret, which the program opens as /dev/stdin: nothing that it says about it may be repeated.
   */
  readonly secret?: boolean;
}

export class CommandError extends Error {
  constructor(
    readonly command: readonly string[],
    /** Exit status; undefined when it did not run or was killed. */
    readonly status: number | undefined,
    readonly stderr: string,
    /** The program is not on this machine. */
    readonly missing = false,
  ) {
    const shown = command.join(" ");
    const why = missing
      ? "is not installed"
      : `failed (${status ?? "killed"}): ${stderr.trim().slice(0, 500)}`;
    super(`${shown.length > 200 ? `${shown.slice(0, 200)}…` : shown} ${why}`);
    this.name = "CommandError";
  }
}

/** A program that runs for longer is ended. */
export const LIMIT_MS = 20_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

export const realOs: Os = {
  run: (command, { input, secret } = {}) =>
    new Promise((resolve, reject) => {
      // Node's pipes are sockets, which cannot be opened by name; a shell's pipes can.
      const [program, ...args] = secret ? ["sh", "-c", 'cat | "$@"', "sh", ...command] : command;
      const child = execFile(
        program as string,
        args,
        { timeout: LIMIT_MS, maxBuffer: MAX_OUTPUT_BYTES },
        (error, stdout, stderr) => {
          if (!error) return resolve(stdout);
          const status = typeof error.code === "number" ? error.code : undefined;
          const said = secret ? "(output withheld: its input is secret)" : stderr || error.message;
          return reject(new CommandError(command, status, said, String(error.code) === "ENOENT"));
        },
      );
      // A program that ends without reading its input is judged by its exit status.
      child.stdin?.on("error", () => {});
      child.stdin?.end(input ?? "");
    }),
};
