import { execFileSync, spawnSync } from "node:child_process";

/** Postgres refuses to run as root: the account it runs under instead, and how a program is started there. */
export interface ServerAccount {
  readonly uid?: number;
  readonly gid?: number;
  /** The command line that runs `command` under the account with access to every folder it needs. */
  commandLine(command: string, args: readonly string[]): { command: string; args: string[] };
}

const plain = (command: string, args: readonly string[]) => ({
  command,
  args: [...args],
});

/** The caller's own account; for root, the system account `postgres`, made when it is missing. */
export function serverAccount(folders: readonly string[]): ServerAccount {
  if (process.getuid?.() !== 0) return { commandLine: plain };
  const { uid, gid } = accountOf("postgres");
  if (folders.every((folder) => canEnter(folder, { uid, gid }))) {
    return {
      uid,
      gid,
      commandLine: (command, args) => as({ uid, gid }, [], command, args),
    };
  }
  // Root's home or a folder of mktemp is closed to other accounts: lend the right to pass, nothing else.
  const lend = ["--inh-caps=+dac_read_search,+dac_override", "--ambient-caps=+dac_read_search,+dac_override"];
  const probe = as({ uid, gid }, lend, "test", ["-r", folders[0] as string]);
  if (spawnSync(probe.command, probe.args).status !== 0) {
    throw new Error(
      `The account postgres, under which root starts the database, cannot read ${folders.join(" or ")}. ` +
        "Open the parent folders to it (chmod o+x), or work as an ordinary user.",
    );
  }
  return {
    uid,
    gid,
    commandLine: (command, args) => as({ uid, gid }, lend, command, args),
  };
}

function as(
  { uid, gid }: { uid: number; gid: number },
  more: readonly string[],
  command: string,
  args: readonly string[],
) {
  const identity = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
  return { command: "setpriv", args: [...identity, ...more, command, ...args] };
}

function canEnter(folder: string, account: { uid: number; gid: number }): boolean {
  const { command, args } = as(account, [], "test", ["-x", folder]);
  return spawnSync(command, args).status === 0;
}

function accountOf(name: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
  try {
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    execFileSync("useradd", ["--system", "--user-group", "--no-create-home", name], { stdio: "pipe" });
    return { uid: id("-u"), gid: id("-g") };
  }
}
