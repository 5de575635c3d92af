/** The far end of a socket. */
export interface Peer {
  /** Set whenever the peer sends something; cleared by the keep-alive. */
  alive: boolean;
  ping(): void;
  /** Destroys the socket of a peer that does not answer. */
  dead(): void;
}

/** Pings the peer, and ends it when it sent nothing between two pings. Returns the function that stops this. */
export function keepAlive(peer: Peer, intervalMs: number): () => void {
  const check = () => {
    if (!peer.alive) return peer.dead();
    peer.alive = false;
    return peer.ping();
  };
  // After a pause of this process the pongs have yet to be read; that comes before an immediate.
  const timer = setInterval(() => setImmediate(check), intervalMs).unref();
  return () => clearInterval(timer);
}
