import { join } from "node:path";
import { createUser, Tokens } from "../../src/features/accounts";
import { startRedis } from "../../src/laptop/servers/redis";
import { openDatabase } from "../../src/platform/postgres/db";
import { systemClock } from "../../src/platform/process/clock";
import { CleanupStack } from "../../src/testing/repository/cleanup-stack";
import { startBenchDatabase } from "../database";

const MISSIONS = 20;
const POINTS = 10;
const DRONES = 200;
const JWT_SECRET = "a secret for benchmarks only, of enough length";

/** A database with users' missions and drones, and what a server needs to serve them. */
export interface HttpBench {
  /** Environment of the gateway; the baseline reads the same names. */
  readonly env: Record<string, string>;
  /** One of each user. */
  readonly tokens: readonly string[];
  clear(): Promise<void>;
}

/** In the profile `strict`, which reads account status and log-out on each request. */
export async function setUpHttpBench(users: number): Promise<HttpBench> {
  const stops = new CleanupStack();
  const clear = () => stops.clear();
  try {
    const { folder, url } = await startBenchDatabase(stops);
    const redis = await stops.keep(startRedis({ folder: join(folder, "redis"), durable: false }));
    const env = {
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      JWT_SECRET,
      SMTP_URL: "smtp://127.0.0.1:9",
      GATEWAY_PORT: "0",
      GATEWAY_DRONE_PORT: "0",
      DEPLOYMENT: "local",
      ACCESS_PROFILE: "strict",
      EDGE_SECRET: "a secret for benchmarks only",
    };
    return { env, tokens: await storeRecords(url, users), clear };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** Stores the same rows for each user. */
async function storeRecords(url: string, users: number): Promise<string[]> {
  const db = openDatabase(url, { poolMax: 1, name: "fleet-bench" });
  try {
    const ids: number[] = [];
    for (let count = 0; count < users; count++) {
      const username = `bench${count}@example.com`;
      const user = await createUser(db, { username, password_hash: null, level: null, active: true });
      ids.push(user.id);
      await db.raw(
        `WITH stored AS (
          INSERT INTO missions (user_id, name)
          SELECT ?, 'Survey of field ' || n FROM generate_series(1, ?) AS n RETURNING id
        )
        INSERT INTO mission_points (mission_id, lat, lng, altitude, type, sequence, label)
        SELECT id, 47.3769 + n * 0.000123456, 8.5417 - n * 0.000654321, 30.5, 'fly', n, 'waypoint ' || n
        FROM stored, generate_series(1, ?) AS n`,
        [user.id, MISSIONS, POINTS],
      );
      await db.raw(
        `INSERT INTO drones (user_id, name, type, vehicle_type, port, video_room_token)
        SELECT ?, 'Copter ' || n, 'physical', 'copter', 5001, repeat('x', 180) FROM generate_series(1, ?) AS n`,
        [user.id, DRONES],
      );
    }
    await db.raw("ANALYZE");
    const tokens = new Tokens(JWT_SECRET, systemClock);
    return ids.map((id) => tokens.pair(id).access_token);
  } finally {
    await db.destroy();
  }
}
