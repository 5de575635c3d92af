import { z } from "zod";
import type { PeerId } from "../../domain/peers";
import { isPublicKey, type PublicKey } from "../../domain/wireguard";

/** What is known of a published config without reading it. Public halves only. */
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

/** Throws when the text is no index. */
export function readIndex(text: string): Map<PeerId, IndexEntry> {
  const { peers } = Index.parse(JSON.parse(text));
  return new Map(
    Object.entries(peers).map(([id, { row, key, bytes, template }]) => [
      id as PeerId,
      { rowId: row, publicKey: key as PublicKey, bytes, template },
    ]),
  );
}

export function writeIndex(entries: ReadonlyMap<PeerId, IndexEntry>): string {
  const peers = Object.fromEntries(
    [...entries].map(([id, { rowId, publicKey, bytes, template }]) => [
      id,
      { row: rowId, key: publicKey, bytes, template },
    ]),
  );
  return JSON.stringify({ version: 1, peers });
}
