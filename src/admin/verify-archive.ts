import { createPublicKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { verifyArchive } from "../features/executions";
import { loadConfig, verifyArchiveConfig } from "../platform/config";
import { parseSigningKey } from "../platform/signing-key";
import type { AdminCommand } from "./command";

export const command: AdminCommand = {
  usage: "verify-archive FILE --key PEM_FILE_OR_URL",
  summary:
    "Check a downloaded archive, and name what was altered. The key is a PEM file, or the gateway's URL (its /api/v1/executions/archive-key is asked); ARCHIVE_SIGNING_KEY when absent.",

  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { key: { type: "string" } },
    });
    const [file, ...others] = positionals;
    if (!file || others.length > 0) throw new Error(`usage: admin ${command.usage}`);
    const { faults, manifest } = await verifyArchive(file, await trustedKey(values.key));
    if (faults.length > 0)
      throw new Error(`${file} is not what was signed:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    const { execution_id, created_at, files = [], missing = [] } = manifest ?? {};
    process.stdout.write(
      `${file} is whole: execution ${execution_id}, made ${created_at}, ${files.length} files.\n`,
    );
    for (const { path, received_sha256 } of files)
      if (received_sha256) process.stdout.write(`  ${path} changed in the store after its upload.\n`);
    for (const { file_name, reason } of missing)
      process.stdout.write(`  ${file_name} is not in it: ${reason}\n`);
  },
};

/** The key to trust is never taken from the archive itself. */
async function trustedKey(from: string | undefined): Promise<KeyObject> {
  if (from === undefined) {
    const own = parseSigningKey(loadConfig(verifyArchiveConfig).ARCHIVE_SIGNING_KEY ?? "");
    if (!own) throw new Error("Name the key to trust with --key, or set ARCHIVE_SIGNING_KEY.");
    return createPublicKey(own);
  }
  if (!/^https?:/.test(from)) return createPublicKey(await readFile(from));
  const response = await fetch(new URL("/api/v1/executions/archive-key", from));
  if (!response.ok) throw new Error(`${from} answers ${response.status} when asked for its key.`);
  const { public_key } = (await response.json()) as { public_key: string };
  return createPublicKey(public_key);
}
