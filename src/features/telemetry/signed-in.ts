import type { TelemetrySocket } from "./events";

/** How often open sockets' tokens are looked up, for a log-out of which this replica did not hear. */
const LOOK_MS = 15_000;

/** The open sockets by their tokens, so that a log-out ends them. */
export class SignedIn {
  private readonly sockets = new Map<string, Set<TelemetrySocket>>();
  private readonly looking: NodeJS.Timeout | undefined;

  /** Without `isRevoked` nobody is ended. */
  constructor(private readonly isRevoked: ((jti: string) => Promise<boolean> | boolean) | undefined) {
    if (isRevoked) this.looking = setInterval(() => void this.look(isRevoked), LOOK_MS).unref();
  }

  add(jti: string, socket: TelemetrySocket): void {
    const same = this.sockets.get(jti) ?? new Set();
    this.sockets.set(jti, same.add(socket));
    socket.once("disconnect", () => {
      same.delete(socket);
      if (same.size === 0 && this.sockets.get(jti) === same) this.sockets.delete(jti);
    });
  }

  end(jti: string): void {
    if (!this.isRevoked) return;
    for (const socket of this.sockets.get(jti) ?? []) {
      socket.emit("error", { message: "The token was logged out; sign in again." });
      socket.disconnect(true);
    }
  }

  stop(): void {
    clearInterval(this.looking);
  }

  private async look(isRevoked: NonNullable<SignedIn["isRevoked"]>): Promise<void> {
    for (const jti of [...this.sockets.keys()]) {
      try {
        if (await isRevoked(jti)) this.end(jti);
      } catch {
        // The blocklist cannot be asked; the next look may.
        return;
      }
    }
  }
}
