import { openDatabase } from "../../src/platform/postgres/db";
import type { CleanupStack } from "../../src/testing/repository/cleanup-stack";
import { setUpFleet } from "../fleet/setup";

/** A database with one user's drones, whose vehicles are the field's, and Redis; returns the gateway's variables and the token. */
export async function setUpWhole(stops: CleanupStack, drones: number, vehiclesPort: number) {
  const { env, customers } = await setUpFleet(stops, 1, drones);
  const [customer] = customers;
  if (!customer) throw new Error("There is no user.");
  const db = openDatabase(env.DATABASE_URL, { poolMax: 1, name: "fleet-bench" });
  try {
    await db.raw(
      "UPDATE drones SET type = 'sitl', port = ?, link_host = '127.1.' || (id >> 8) || '.' || (id & 255)",
      [vehiclesPort],
    );
  } finally {
    await db.destroy();
  }
  return {
    token: customer.token,
    env: {
      ...env,
      ...{ ACCESS_PROFILE: "contract", FLIGHT_RECORDER: "off", LOG_LEVEL: "error" },
      ...{ TELEMETRY_MAX_SOCKETS: "100000", QUOTA_SOCKETS: "0" },
    },
  };
}
