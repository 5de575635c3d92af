import type { LivePeer } from "../domain/peers";
import type { PublicKey } from "../domain/wireguard";

/** A WireGuard interface as it is. Its private key, on the dump's first line, is left where it was. */
export interface ObservedInterface {
  /** `(none)` when the interface has no key yet. */
  readonly publicKey: string;
  readonly listenPort: number;
  readonly peers: ReadonlyMap<PublicKey, LivePeer>;
}

/** Read the text of `wg show IF dump`. Throws, without quoting it, when the text is something else. */
export function parseDump(text: string): ObservedInterface {
  const lines = text.split("\n");
  const [, publicKey, listenPort] = (lines[0] ?? "").split("\t");
  if (!publicKey || !listenPort) throw new Error("`wg show dump` printed no interface line.");
  const peers = new Map<PublicKey, LivePeer>();
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index];
    if (!line) continue;
    const fields = line.split("\t");
    if (fields.length !== 8) throw new Error(`\`wg show dump\` printed a peer with ${fields.length} fields.`);
    const [key, , endpoint, allowedIps, handshake, received, sent, keepalive] = fields;
    peers.set(key as PublicKey, {
      publicKey: key as PublicKey,
      allowedIps: allowedIps === "(none)" ? [] : (allowedIps as string).split(","),
      endpoint: endpoint === "(none)" ? undefined : endpoint,
      keepalive: keepalive !== "off",
      latestHandshake: Number(handshake),
      receivedBytes: Number(received),
      sentBytes: Number(sent),
    });
  }
  return { publicKey, listenPort: Number(listenPort), peers };
}
