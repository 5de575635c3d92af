import { join } from "node:path";
import { createUser, Tokens } from "../../src/features/accounts";
import { startRedis } from "../../src/laptop/servers/redis";
import { openDatabase } from "../../src/platform/postgres/db";
import { systemClock } from "../../src/platform/process/clock";
import type { CleanupStack } from "../../src/testing/repository/cleanup-stack";
import { startBenchDatabase } from "../database";

const JWT_SECRET = "a secret for benchmarks only, of enough length";

export interface Customer {
  readonly id: number;
  readonly token: string;
  /** Ids. */
  readonly drones: readonly number[];
}

/** Users with as many drones each, and what a server needs to serve them. */
export async function setUpFleet(stops: CleanupStack, users: number, drones: number) {
  const { folder, url } = await startBenchDatabase(stops);
  const redis = await stops.keep(startRedis({ folder: join(folder, "redis"), durable: false }));
  const db = openDatabase(url, { poolMax: 1, name: "fleet-bench" });
  stops.add(() => db.destroy());
  const tokens = new Tokens(JWT_SECRET, systemClock);
  const customers: Customer[] = [];
  for (let count = 0; count < users; count++) {
    const username = `bench${count}@example.com`;
    const { id } = await createUser(db, { username, password_hash: null, level: null, active: true });
    const { rows } = await db.raw(
      `INSERT INTO drones (user_id, name, type, vehicle_type, port)
      SELECT ?, 'Copter ' || n, 'physical', 'copter', 5001 FROM generate_series(1, ?) AS n RETURNING id`,
      [id, drones],
    );
    const ids = rows.map((row: { id: number }) => row.id);
    customers.push({ id, token: tokens.pair(id).access_token, drones: ids });
  }
  await db.raw("ANALYZE");
  /** Milliseconds that one statement takes for a mission and its points. */
  const insert = async (userId: number, name: string, points: number): Promise<number> => {
    const began = performance.now();
    await db.raw(
      `WITH mission AS (INSERT INTO missions (user_id, name) VALUES (?, ?) RETURNING id)
      INSERT INTO mission_points (mission_id, lat, lng, altitude, type, sequence)
      SELECT id, 47 + n * 1e-5, 8 + n * 1e-5, 30, 'fly', n FROM mission, generate_series(1, ?) AS n`,
      [userId, name, points],
    );
    const milliseconds = performance.now() - began;
    await db("missions").where({ user_id: userId, name }).delete();
    return milliseconds;
  };
  const env = {
    ...{ DATABASE_URL: url, REDIS_URL: redis.url, JWT_SECRET, SMTP_URL: "smtp://127.0.0.1:9" },
    ...{ GATEWAY_PORT: "0", GATEWAY_DRONE_PORT: "0", DEPLOYMENT: "local" },
    ...{ ACCESS_PROFILE: "strict", EDGE_SECRET: "a secret for benchmarks only" },
  };
  return { env, customers, insert };
}
