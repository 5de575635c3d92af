import type { LivePeer } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";

/** A WireGuard interface as it is. Its private key, on the dump's first line, is left where it was. */
export interface ObservedInterface {
  /** `(none)` when the interface has no key yet. */
  readonly publicKey: string;
  readonly listenPort: number;
  readonly peers: ReadonlyMap<PublicKey, LivePeer>;
  /** The peers by the lines that they were read from. */
  readonly lines: ReadonlyMap<string, ReadLine>;
}

interface ReadLine {
  readonly line: string;
  readonly peer: LivePeer;
}

/**
 * Read the text of `wg show IF dump`. Throws, without quoting it, when the text is something else.
 *
 * A peer whose line was in the dump `before` is taken over: most of 10,000 peers are as they were a second ago.
 * wireguard-go prints them in another order each time.
 */
export function parseDump(text: string, before?: ObservedInterface): ObservedInterface {
  const [first = "", ...found] = text.split("\n");
  const [, publicKey, port] = first.split("\t");
  if (!publicKey || !port) throw new Error("`wg show dump` printed no interface line.");
  if (found.at(-1) === "") found.pop();
  const listenPort = Number(port);
  if (before && found.length === before.lines.size && found.every((line) => before.lines.has(line)))
    return { ...before, publicKey, listenPort };
  const peers = new Map<PublicKey, LivePeer>();
  const lines = new Map<string, ReadLine>();
  for (const part of found) {
    const read = before?.lines.get(part) ?? readLine(copyOf(part));
    peers.set(read.peer.publicKey, read.peer);
    lines.set(read.line, read);
  }
  return { publicKey, listenPort, peers, lines };
}

const readLine = (line: string): ReadLine => ({ line, peer: parsePeer(line) });

function parsePeer(line: string): LivePeer {
  const fields = line.split("\t");
  if (fields.length !== 8) throw new Error(`\`wg show dump\` printed a peer with ${fields.length} fields.`);
  const [key, , endpoint, allowedIps, handshake, received, sent, keepalive] = fields;
  return {
    // Looked up in maps all the time, which is slow for a part of a string.
    publicKey: copyOf(key as string) as PublicKey,
    allowedIps: allowedIps === "(none)" ? [] : (allowedIps as string).split(","),
    endpoint: endpoint === "(none)" ? undefined : endpoint,
    keepalive: keepalive !== "off",
    latestHandshake: Number(handshake),
    receivedBytes: Number(received),
    sentBytes: Number(sent),
  };
}

/** A string of its own: V8 keeps the whole dump in memory for a part of it that is kept. */
const copyOf = (part: string): string => Buffer.from(part, "latin1").toString("latin1");
