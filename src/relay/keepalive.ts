/** Somebody at the far end of a socket. */
export interface Peer {
  /** Set by every sign of life; cleared by the keep-alive. */
  alive: boolean;
  ping(): void;
  /** Nobody is there: give the socket up without a word. */
  dead(): void;
}

/** Sessions are pinged in turns this far apart: 10,000 pings in one go would hold everybody's frames up. */
const TURN_MS = 100;

/** Finds dead peers: one that gave no sign of life between two of its pings is gone. */
export class Keepalive {
  private readonly turns: readonly Set<Peer>[];
  private readonly timer: NodeJS.Timeout;
  private turn = 0;
  private added = 0;

  constructor(intervalMs: number) {
    const count = Math.max(1, Math.round(intervalMs / TURN_MS));
    this.turns = Array.from({ length: count }, () => new Set<Peer>());
    this.timer = setInterval(() => this.next(), intervalMs / count);
    this.timer.unref();
  }

  /** Returns the function that stops watching. */
  watch(peer: Peer): () => void {
    const turn = this.turns[this.added++ % this.turns.length]!;
    turn.add(peer);
    return () => turn.delete(peer);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private next(): void {
    const turn = this.turns[this.turn++ % this.turns.length]!;
    // After a pause of this process the answers have yet to be read; that comes before an immediate.
    setImmediate(() => {
      for (const peer of turn) {
        if (!peer.alive) {
          peer.dead();
          continue;
        }
        peer.alive = false;
        peer.ping();
      }
    });
  }
}
