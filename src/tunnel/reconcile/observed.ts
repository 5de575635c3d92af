import type { LivePeer } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";

/** A WireGuard interface as it is. Its private key, on the dump's first line, is left where it was. */
export interface ObservedInterface {
  /** `(none)` when the interface has no key yet. */
  readonly publicKey: string;
  readonly listenPort: number;
  readonly peers: ReadonlyMap<PublicKey, LivePeer>;
}

/** The line that a peer was read from. A peer that we changed has none. */
const lineOf = new WeakMap<LivePeer, string>();

/**
 * Read the text of `wg show IF dump`. Throws, without quoting it, when the text is something else. A peer of `before`
 * whose line is the same is taken over: most of 10,000 peers are as they were a second ago.
 */
export function parseDump(
  text: string,
  before: ReadonlyMap<PublicKey, LivePeer> = new Map(),
): ObservedInterface {
  const lines = text.split("\n");
  const [, publicKey, listenPort] = (lines[0] ?? "").split("\t");
  if (!publicKey || !listenPort) throw new Error("`wg show dump` printed no interface line.");
  const peers = new Map<PublicKey, LivePeer>();
  for (let at = 1; at < lines.length; at++) {
    const line = lines[at] as string;
    if (line === "") continue;
    const known = before.get(line.slice(0, line.indexOf("\t")) as PublicKey);
    const peer = known && lineOf.get(known) === line ? known : parsePeer(line);
    peers.set(peer.publicKey, peer);
  }
  return { publicKey, listenPort: Number(listenPort), peers };
}

function parsePeer(part: string): LivePeer {
  const line = copyOf(part);
  const fields = line.split("\t");
  if (fields.length !== 8) throw new Error(`\`wg show dump\` printed a peer with ${fields.length} fields.`);
  const [key, , endpoint, allowedIps, handshake, received, sent, keepalive] = fields;
  const peer: LivePeer = {
    // Looked up in maps all the time, which is slow for a part of a string.
    publicKey: copyOf(key as string) as PublicKey,
    allowedIps: allowedIps === "(none)" ? [] : (allowedIps as string).split(","),
    endpoint: endpoint === "(none)" ? undefined : endpoint,
    keepalive: keepalive !== "off",
    latestHandshake: Number(handshake),
    receivedBytes: Number(received),
    sentBytes: Number(sent),
  };
  lineOf.set(peer, line);
  return peer;
}

/** A string of its own: V8 keeps the whole dump in memory for a part of it that is kept. */
const copyOf = (part: string): string => Buffer.from(part, "latin1").toString("latin1");
