import type { Socket } from "node:net";
import type { Logger } from "../../platform/process/log";
import { connectRedis } from "../../platform/redis/resp";
import type { DroneUsers } from "./drone-users";
import type { LiveDrone } from "./guests";
import { CommandReader, mayGo } from "./redis-commands";

/** A drone's client asks for an echo or says something now and then; one that does not is gone. */
const SILENCE_MS = 120_000;
/** A drone that does not hang up after our last word is cut. */
const GOODBYE_MS = 1_000;
/** Bytes that may wait for Redis before the drone is no longer read. */
const MAX_BUFFERED_BYTES = 262_144;

export interface RedisDoorOptions {
  readonly url: string;
  readonly users: Pick<DroneUsers, "ensure">;
  readonly log: Logger;
  /** A drone said what it may not. */
  readonly onRefused: () => void;
}

/**
 * Opens Redis to a drone, logged in as the drone's own user. What it says is read as commands, and only those that
 * cannot change who it is go on.
 */
export function redisDoor({ url, users, log, onRefused }: RedisDoorOptions) {
  const openRedis = async ({ ip }: LiveDrone): Promise<Socket> => {
    const login = await users.ensure(ip);
    const target = new URL(url);
    target.username = encodeURIComponent(login.username);
    target.password = encodeURIComponent(login.password);
    return connectRedis(target.href);
  };
  return async (near: Socket, drone: LiveDrone): Promise<void> => {
    near.pause();
    near.setNoDelay(true);
    near.setKeepAlive(true, 10_000);
    near.on("error", () => near.destroy());
    let far: Socket;
    try {
      far = await openRedis(drone);
    } catch (error) {
      log.warn({ drone: drone.ip, err: error }, "a drone finds no Redis");
      say(near, "ERR Redis is away; connect again.");
      return;
    }
    if (near.destroyed) {
      far.destroy();
      return;
    }
    carry(near, far, (words) => {
      onRefused();
      log.warn({ drone: drone.ip, words }, "a drone said to Redis what it may not");
    });
  };
}

function carry(near: Socket, far: Socket, onRefused: (words: string) => void): void {
  const reader = new CommandReader();
  const silence = setTimeout(() => near.destroy(), SILENCE_MS);
  const refuse = (words: string) => {
    far.destroy();
    near.off("data", hear);
    say(near, `NOPERM ${words}`);
    onRefused(words);
  };
  far.on("error", () => far.destroy());
  far.on("drain", () => near.resume());
  far.on("close", () => near.destroySoon());
  near.on("close", () => {
    clearTimeout(silence);
    far.destroy();
  });
  const hear = (chunk: Buffer) => {
    silence.refresh();
    try {
      for (const command of reader.push(chunk)) {
        if (far.destroyed) return;
        if (!mayGo(command)) {
          refuse("A drone may PING, PUBLISH, SUBSCRIBE and UNSUBSCRIBE here.");
          return;
        }
        far.write(command.bytes);
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      refuse(error.message);
    }
    if (far.writableLength > MAX_BUFFERED_BYTES) near.pause();
  };
  near.on("data", hear);
  far.pipe(near, { end: false });
  near.resume();
}

/** The last word to a drone. What it still sends is thrown away, or the system would cut our word off. */
function say(near: Socket, error: string): void {
  const limit = setTimeout(() => near.destroy(), GOODBYE_MS);
  near.once("close", () => clearTimeout(limit));
  near.end(`-${error}\r\n`);
  near.resume();
}
