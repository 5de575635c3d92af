import { randomUUID } from "node:crypto";
import knex, { type Knex } from "knex";
import { loadConfig, tunnelConfig } from "../../platform/config";
import { openObjects } from "../../platform/objects/client";
import type { LogDestination } from "../../platform/process/log";
import { startTunnel, type Tunnel } from "../../tunnel";
import { ConfigStore } from "../../tunnel/client-configs/store";
import type { DataPlane } from "../../tunnel/os/data-plane";
import { generateKeyPair } from "../../tunnel/wireguard/keys";
import { atEndOfFile } from "../clean-up";
import { freshDatabase } from "../fresh-database";
import { freshObjects } from "../fresh-servers";

export const TEST_VPN_BUCKET = "fleet-vpn";

export interface TunnelWorld {
  readonly databaseUrl: string;
  readonly db: Knex;
  readonly objects: Awaited<ReturnType<typeof freshObjects>>;
  /** The objects of the tunnel's own bucket. */
  readonly configs: ConfigStore;
  /** Variables of a tunnel process in this world; its hub keys are the world's. */
  readonly env: Readonly<Record<string, string>>;
  readonly fleet: FleetRows;
  /** A tunnel in this process, stopped after the file. */
  start(dataPlane: DataPlane, env?: Record<string, string>, logTo?: LogDestination): Promise<Tunnel>;
}

/** A database, an object store with the gateway's bucket too, and hub keys of the caller's own, for tunnels that come and go. */
export async function tunnelWorld(): Promise<TunnelWorld> {
  const [database, objects] = await Promise.all([freshDatabase(), freshObjects("fleet", TEST_VPN_BUCKET)]);
  const db = knex({ client: "pg", connection: database.url, pool: { min: 0, max: 4 } });
  atEndOfFile(() => db.destroy());
  const env = {
    DATABASE_URL: database.url,
    S3_ENDPOINT: objects.url,
    S3_ACCESS_KEY_ID: objects.accessKeyId,
    S3_SECRET_ACCESS_KEY: objects.secretAccessKey,
    S3_VPN_BUCKET: TEST_VPN_BUCKET,
    USERS_PRIVATE_KEY: generateKeyPair().privateKey,
    DRONES_PRIVATE_KEY: generateKeyPair().privateKey,
    VPN_ENDPOINT_HOST: "192.0.2.1",
    TUNNEL_PORT: "0",
    JUMPHOST_PORT: "0",
    LOG_LEVEL: process.env.FLEET_TEST_LOG_LEVEL ?? "silent",
    DEPLOYMENT: "local",
    SHUTDOWN_DRAIN_SECONDS: "5",
  };
  const start = async (dataPlane: DataPlane, more: Record<string, string> = {}, logTo?: LogDestination) => {
    const config = loadConfig(tunnelConfig, { ...env, ...more });
    const tunnel = await startTunnel(config, { dataPlane, checkReplies: true, logTo });
    atEndOfFile(() => tunnel.lifecycle.stop("the tests are over"));
    return tunnel;
  };
  const s3 = openObjects({ ...env, S3_REGION: "us-east-1" });
  atEndOfFile(async () => s3.destroy());
  const configs = new ConfigStore(s3, TEST_VPN_BUCKET);
  return { databaseUrl: database.url, db, objects, configs, env, fleet: new FleetRows(db), start };
}

/** Rows as the gateway would write them, with addresses of the test's choice. */
export class FleetRows {
  constructor(private readonly db: Knex) {}

  async user(ip: string): Promise<{ id: number; ip: string }> {
    await this.address(ip, "users");
    const username = `${randomUUID()}@example.com`;
    const [row] = await this.db("users").insert({ username, ip, is_active: true }).returning("id");
    return { id: row.id, ip };
  }

  async drone(ip: string, owner: number, port = 5001): Promise<{ id: number; ip: string }> {
    await this.address(ip, "drones");
    const [row] = await this.db("drones")
      .insert({ user_id: owner, name: ip, type: "physical", vehicle_type: "copter", ip, port })
      .returning("id");
    return { id: row.id, ip };
  }

  /** As `DELETE /drone`: the row stays. */
  async deleteDrone(id: number): Promise<void> {
    await this.db("drones").where({ id }).update({ deleted_at: this.db.fn.now() });
  }

  private async address(ip: string, range: string): Promise<void> {
    await this.db("vpn_addresses").insert({ ip, range }).onConflict("ip").merge({ released_at: null });
  }
}
