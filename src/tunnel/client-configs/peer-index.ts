import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { PeerId } from "../../domain/peers";
import { isPublicKey, type PublicKey } from "../../domain/wireguard";
import type { Logger } from "../../platform/process/log";

/** What is known of a published config without reading it. Public keys only. */
export interface IndexEntry {
  readonly rowId: number;
  readonly publicKey: PublicKey;
  /** Size of the config object. */
  readonly bytes: number;
  /** See `templateOf`. */
  readonly template: string;
}

const Index = z.object({
  version: z.literal(1),
  peers: z.record(
    z.string(),
    z.object({
      row: z.number().int(),
      key: z.string().refine(isPublicKey),
      bytes: z.number().int(),
      template: z.string(),
    }),
  ),
});

/** Throws when the text is not an index. */
export function parseIndex(text: string): Map<PeerId, IndexEntry> {
  const { peers } = Index.parse(JSON.parse(text));
  return new Map(
    Object.entries(peers).map(([id, { row, key, bytes, template }]) => [
      id as PeerId,
      { rowId: row, publicKey: key as PublicKey, bytes, template },
    ]),
  );
}

export function printIndex(entries: ReadonlyMap<PeerId, IndexEntry>): string {
  const peers = Object.fromEntries(
    [...entries].map(([id, { rowId, publicKey, bytes, template }]) => [
      id,
      { row: rowId, key: publicKey, bytes, template },
    ]),
  );
  return JSON.stringify({ version: 1, peers });
}

/**
 * The index as a file on this node, by which the next daemon knows its peers while the object store is away. The
 * store's index overrides it. A file that cannot be read or written is no failure.
 */
export class LocalIndexCopy {
  constructor(
    private readonly path: string,
    private readonly log: Logger,
  ) {}

  read(): string | undefined {
    try {
      return readFileSync(this.path, "utf8");
    } catch {
      return undefined;
    }
  }

  /** Atomically, and for root alone: the file says which key is which peer's. */
  write(text: string): void {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      const draft = `${this.path}.${process.pid}`;
      writeFileSync(draft, text, { mode: 0o600 });
      renameSync(draft, this.path);
    } catch (error) {
      this.log.warn({ err: error }, "Cannot keep a copy of the client configs' index on this node");
    }
  }
}
