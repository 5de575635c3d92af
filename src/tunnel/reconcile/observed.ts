import type { LivePeer } from "../../domain/peers";
import type { PublicKey } from "../../domain/wireguard";

/** A WireGuard interface as it is. Its private key, on the dump's first line, is left where it was. */
export interface ObservedInterface {
  /** `(none)` when the interface has no key yet. */
  readonly publicKey: string;
  readonly listenPort: number;
  readonly peers: ReadonlyMap<PublicKey, LivePeer>;
}

/** Read the text of `wg show IF dump`. Throws, without quoting it, when the text is something else. */
export function parseDump(text: string): ObservedInterface {
  const { publicKey, listenPort, peers } = new DumpReader().read(text);
  return { publicKey, listenPort, peers: peers() };
}

/** A dump of which only the interface's own line has been read so far. */
export interface UnreadDump extends Omit<ObservedInterface, "peers"> {
  /** Throws as `parseDump` does. */
  readonly peers: () => ReadonlyMap<PublicKey, LivePeer>;
}

/** Reads one dump after the other; most of a large one is as it was a second before, and is read once. */
export class DumpReader {
  private lines = new Map<string, LivePeer>();

  /** As `parseDump`, the peers when they are asked for. A peer whose line is the same is the same object. */
  read(text: string): UnreadDump {
    const end = text.indexOf("\n");
    const [, publicKey, listenPort] = text.slice(0, end < 0 ? undefined : end).split("\t");
    if (!publicKey || !listenPort) throw new Error("`wg show dump` printed no interface line.");
    return { publicKey, listenPort: Number(listenPort), peers: () => this.readPeers(text) };
  }

  private readPeers(text: string): Map<PublicKey, LivePeer> {
    const peers = new Map<PublicKey, LivePeer>();
    const known = new Map<string, LivePeer>();
    for (const found of text.split("\n").slice(1)) {
      if (!found) continue;
      const before = this.lines.get(found);
      // A copy: a part of the text would keep all of it in memory.
      const line = before ? found : Buffer.from(found, "latin1").toString("latin1");
      const peer = before ?? parsePeer(line);
      known.set(line, peer);
      peers.set(peer.publicKey, peer);
    }
    this.lines = known;
    return peers;
  }
}

function parsePeer(line: string): LivePeer {
  const fields = line.split("\t");
  if (fields.length !== 8) throw new Error(`\`wg show dump\` printed a peer with ${fields.length} fields.`);
  const [key, , endpoint, allowedIps, handshake, received, sent, keepalive] = fields;
  return {
    publicKey: key as PublicKey,
    allowedIps: allowedIps === "(none)" ? [] : (allowedIps as string).split(","),
    endpoint: endpoint === "(none)" ? undefined : endpoint,
    keepalive: keepalive !== "off",
    latestHandshake: Number(handshake),
    receivedBytes: Number(received),
    sentBytes: Number(sent),
  };
}
