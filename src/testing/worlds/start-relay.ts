import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";
import { loadConfig, relayConfig } from "../../platform/config";
import { type Db, openDatabase } from "../../platform/postgres/db";
import type { Redis } from "../../platform/redis/client";
import { type Relay, type RelayLimits, startRelay } from "../../relay";
import { atEndOfFile } from "../clean-up";
import { freshDatabase } from "../fresh-database";
import { freshRedis, redisClient } from "../fresh-servers";
import { TEST_JWT_SECRET } from "./start-gateway";

export interface TestDrone {
  readonly id: number;
  readonly user_id: number;
  readonly ip: string;
}

export interface TestRelay extends Relay {
  readonly db: Db;
  readonly databaseUrl: string;
  /** The Redis server itself, not through an interruptible link of the relay. */
  readonly redisUrl: string;
  /** A plain connection of the test's own. */
  redis(): Promise<Redis>;
  newUser(): Promise<number>;
  /** A live drone with an address of its own; of a new user when no user is named. */
  newDrone(userId?: number): Promise<TestDrone>;
  /** A pilot at this path, such as `/redispad/1`. */
  pilot(path: string): TestPilot;
}

export interface RelayServers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** A whole relay for one test file; it is stopped after the file's tests. `env` overrides its configuration. */
export async function startTestRelay(
  env: Record<string, string> = {},
  given?: RelayServers,
  limits?: Partial<RelayLimits>,
): Promise<TestRelay> {
  const [databaseUrl, redisUrl] = given
    ? [given.databaseUrl, given.redisUrl]
    : [(await freshDatabase()).url, (await freshRedis()).url];
  const config = loadConfig(relayConfig, {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    JWT_SECRET: TEST_JWT_SECRET,
    RELAY_PORT: "0",
    LOG_LEVEL: "silent",
    DEPLOYMENT: "local",
    SHUTDOWN_DRAIN_SECONDS: "3",
    ...env,
  });
  const relay = await startRelay(config, limits);
  atEndOfFile(() => relay.lifecycle.stop("the tests are over"));
  const db = openDatabase(databaseUrl, { poolMax: 2 });
  atEndOfFile(() => db.destroy());
  const redis = () => redisClient(redisUrl);
  const newUser = async (): Promise<number> =>
    (
      await db("users")
        // The password is older than every token of the tests.
        .insert({
          username: `${randomUUID()}@example.com`,
          is_active: true,
          password_changed_at: new Date(0),
        })
        .returning("id")
    )[0].id;
  const newDrone = async (userId?: number): Promise<TestDrone> => {
    const user_id = userId ?? (await newUser());
    const row = { user_id, name: "Heron", type: "sitl", vehicle_type: "copter", port: 5760 };
    const { id } = (await db("drones").insert(row).returning("id"))[0];
    const ip = `10.71.${240 + Math.floor(id / 250)}.${(id % 250) + 1}`;
    await db("vpn_addresses").insert({ ip, range: "simulated" });
    await db("drones").where({ id }).update({ ip });
    return { id, user_id, ip };
  };
  const pilot = (path: string) => new TestPilot(`${relay.url.replace("http", "ws")}${path}`);
  return { ...relay, db, databaseUrl, redisUrl, redis, newUser, newDrone, pilot };
}

interface SocketClose {
  readonly code: number;
  readonly reason: string;
}

/** A browser's WebSocket to the relay. It keeps every received frame. */
export class TestPilot {
  readonly socket: WebSocket;
  readonly frames: string[] = [];
  readonly closed: Promise<SocketClose>;
  closedWith: SocketClose | undefined;

  constructor(url: string) {
    this.socket = new WebSocket(url, { perMessageDeflate: false });
    this.socket.on("message", (data) => this.frames.push(String(data)));
    this.socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      this.socket.on("close", (code, reason) => {
        this.closedWith = { code, reason: String(reason) };
        resolve(this.closedWith);
      });
    });
    atEndOfFile(async () => this.socket.terminate());
  }

  /** Resolves when the WebSocket is accepted; the session behind it may still be looked up. */
  async open(): Promise<this> {
    if (this.socket.readyState !== WebSocket.OPEN) {
      await new Promise<void>((resolve, reject) => {
        this.socket.once("open", resolve);
        this.socket.once("error", reject);
      });
    }
    return this;
  }

  send(frame: string): void {
    this.socket.send(frame);
  }
}
