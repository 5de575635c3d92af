import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { assertPortIsFree, freePort } from "../free-port";
import { endLeftover } from "./leftover";
import { type ServerAccount, serverAccount } from "./postgres-account";
import { type PostgresBinaries, postgresBinaries } from "./postgres-binaries";
import { type ServerProcess, startServerProcess } from "./server-process";

export interface PostgresOptions {
  /** Absolute. Holds the cluster in `data/`; kept between starts. */
  readonly folder: string;
  /** A free one when absent. */
  readonly port?: number;
  /** Of the superuser `fleet`; fixed when the cluster is made. Without one, loopback is trusted. */
  readonly password?: string;
  /** Created when missing. */
  readonly database: string;
  /** false drops every guarantee against a crash, for databases that live as long as a test. */
  readonly durable: boolean;
}

interface EmbeddedPostgres extends ServerProcess {
  readonly url: string;
  readonly port: number;
}

const user = "fleet";

/** Postgres on 127.0.0.1, from the programs that npm installed. A server left over in the folder is ended first. */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const binaries = postgresBinaries();
  const data = join(options.folder, "data");
  mkdirSync(options.folder, { recursive: true });
  const account = serverAccount([binaries.root, options.folder]);
  await endLeftover(join(data, "postmaster.pid"), data, "SIGINT");
  if (!existsSync(join(data, "PG_VERSION"))) createCluster(binaries, account, data, options.password);
  assertSameMajor(binaries, data);
  if (options.port) await assertPortIsFree(options.port, "Postgres");
  const port = options.port ?? (await freePort());
  const server = await startServerProcess({
    name: "Postgres",
    ...account.commandLine(binaries.postgres, ["-D", data, "-p", String(port), ...settings(options)]),
    readyText: "database system is ready to accept connections",
    stopSignal: "SIGINT",
    options: { cwd: "/", env: { ...process.env, LC_ALL: "C" } },
  });
  const url = new URL(`postgres://${user}@127.0.0.1:${port}/${options.database}`);
  url.password = options.password ?? "";
  try {
    await createDatabase(url, options.database);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { ...server, url: url.href, port };
}

function settings({ durable }: PostgresOptions): string[] {
  const common = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "200",
  };
  const careless = {
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    // Tests keep their data in memory where they can.
    // In the data folder, so that nothing of it stays in /dev/shm when a run is killed.
    dynamic_shared_memory_type: "mmap",
    wal_level: "minimal",
    max_wal_senders: "0",
    max_wal_size: "128MB",
  };
  return Object.entries(durable ? common : { ...common, ...careless }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
}

/** Made beside its place and moved there, so that a start cut short leaves no half cluster behind. */
function createCluster(
  binaries: PostgresBinaries,
  account: ServerAccount,
  data: string,
  password: string | undefined,
): void {
  const making = `${data}.making`;
  const passwordFile = `${making}-password`;
  rmSync(making, { recursive: true, force: true });
  rmSync(data, { recursive: true, force: true });
  mkdirSync(making, { mode: 0o700 });
  writeFileSync(passwordFile, password ?? "", { mode: 0o600 });
  if (account.uid !== undefined && account.gid !== undefined) {
    chownSync(making, account.uid, account.gid);
    chownSync(passwordFile, account.uid, account.gid);
  }
  const { command, args } = account.commandLine(binaries.initdb, [
    ...["-D", making, "--username", user, "--encoding", "UTF8", "--locale", "C", "--no-sync"],
    ...(password ? ["--auth", "scram-sha-256", "--pwfile", passwordFile] : ["--auth", "trust"]),
  ]);
  try {
    execFileSync(command, args, {
      cwd: "/",
      stdio: "pipe",
      env: { ...process.env, LC_ALL: "C" },
    });
  } catch (error) {
    const said = (error as { stderr?: Buffer }).stderr?.toString().trim() ?? "";
    throw new Error(`Postgres could not make its data folder ${data}. ${said}`, { cause: error });
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(making, data);
}

function assertSameMajor(binaries: PostgresBinaries, data: string): void {
  const found = readFileSync(join(data, "PG_VERSION"), "utf8").trim();
  if (found === binaries.major) return;
  throw new Error(
    `The data in ${data} was written by Postgres ${found}, and Postgres ${binaries.major} is installed. ` +
      "Start with --reset to begin anew, or install the version that wrote it.",
  );
}

async function createDatabase(url: URL, name: string): Promise<void> {
  const maintenance = new URL(url);
  maintenance.pathname = "/postgres";
  const client = new pg.Client({ connectionString: maintenance.href });
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
