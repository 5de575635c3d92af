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
  const [first = "", ...lines] = text.split("\n");
  const [, publicKey, listenPort] = first.split("\t");
  if (!publicKey || !listenPort) throw new Error("`wg show dump` printed no interface line.");
  const peers = lines.filter(Boolean).map(parsePeer);
  return {
    publicKey,
    listenPort: Number(listenPort),
    peers: new Map(peers.map((peer) => [peer.publicKey, peer])),
  };
}

function parsePeer(part: string): LivePeer {
  // A copy: V8 keeps the whole dump in memory for a part of it that is kept.
  const line = Buffer.from(part, "latin1").toString("latin1");
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
