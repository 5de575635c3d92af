import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { components } from "../../../src/client/api-types";
import { reply } from "../../../src/client/client";
import { freshFolder } from "../../../src/testing";
import { until } from "../../../src/testing/until";
import { sha256 } from "../../../src/testing/worlds/uploads";
import { activate, crew, keyIn } from "../clients/crew";
import { client, MINUTES, pilot } from "../flight";
import { core, deleteNamespace, namespace, uninstall } from "../release";
import { commandsOf, Terminal } from "./page-commands";

const PAGE = "operation/backup.md";
/** As the page says, after its last command. */
const DRONE_BACK_MS = 30_000;

/** Called by the drone in the field. */
async function fromDrone<Reply>(path: string, body: object): Promise<Reply> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${crew.edge}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Reply;
}

/** A flight with a file that the drone uploads through its tunnel. Resolves with the flight's id and the asset's. */
async function flyAndUpload(content: Buffer): Promise<{ id: number; asset_id: number }> {
  const { id } = await fromDrone<{ id: number }>("/executions/start", {});
  const file = join(freshFolder("upload"), "flight.bin");
  writeFileSync(file, content);
  const request = {
    file_name: "flight.bin",
    asset_type: "logs",
    checksum: sha256(content),
    execution_id: id,
  };
  const { url, asset_id } = await fromDrone<{ url: string; asset_id: number }>(
    "/authenticate_upload",
    request,
  );
  await crew.droneVpn.node.shell(`curl --silent --show-error --fail --upload-file ${file} '${url}'`);
  await fromDrone("/complete_upload", { asset_id });
  await fromDrone(`/executions/${id}/complete`, { status: "completed" });
  return { id, asset_id };
}

const missionNames = async (): Promise<string[]> =>
  (await reply(client.api.GET("/missions"))).map(({ name }) => name);

const print = (what: string, ms: number) => process.stdout.write(`${what}: ${(ms / 1_000).toFixed(1)} s\n`);

/**
 * Backup and restore by the commands of docs/operation/backup.md. The new cluster is a new namespace on the same node:
 * its volumes, Secrets and Services are new, and the hub's address is the old one, as where an operator keeps it.
 */
export function testRestore(): void {
  const terminal = new Terminal();
  const content = randomBytes(64 * 1024);
  let flight: { id: number; asset_id: number };
  let spare: components["schemas"]["Drone"];
  let addresses: (string | null)[];
  let config: string;
  let endedAt: number;
  let lostAt: number;
  let restoredAt: number;

  test(
    "database, objects, Secrets and values are backed up while the release serves",
    async () => {
      await reply(client.api.POST("/mission", { body: { name: "Backed up" } }));
      spare = await crew.addDrone("Spare");
      flight = await flyAndUpload(content);
      config = await crew.droneConfig();
      addresses = [crew.far.ip, spare.ip, crew.simulated.ip];
      const began = performance.now();
      await terminal.type(commandsOf(PAGE, "Backup"));
      print("Backup", performance.now() - began);
      await reply(client.api.POST("/mission", { body: { name: "Too late" } }));
    },
    5 * MINUTES,
  );

  test(
    "the cluster is lost, and a new one gets everything back by the page's commands",
    async () => {
      endedAt = Date.now();
      await uninstall();
      await deleteNamespace(namespace);
      lostAt = Date.now();
      const began = performance.now();
      await terminal.type(
        commandsOf(PAGE, "Restore into a new cluster"),
        commandsOf(PAGE, "Restore into a running release"),
      );
      restoredAt = Date.now();
      print("Restore into a new cluster", performance.now() - began);
      expect((await core.listNamespacedPersistentVolumeClaim({ namespace })).items).toHaveLength(3);
    },
    15 * MINUTES,
  );

  test(
    "the drone in the field, which nobody touched, is connected again by itself",
    async () => {
      const at = await until(
        async () => {
          const last = await crew.handshakeAt();
          return last > lostAt && last;
        },
        DRONE_BACK_MS,
        500,
      );
      print("The drone was away", at - endedAt);
      print("Its handshake, after the last command (negative: before it)", at - restoredAt);
      await until(() => crew.reachesDrone(), MINUTES);
      expect(await crew.droneConfig()).toBe(config);
    },
    2 * MINUTES,
  );

  test("the pilot's session goes on, and the password is the old one", async () => {
    await reply(client.api.GET("/user"));
    await client.logIn(pilot.username, pilot.password);
  });

  test("missions are back, and what came after the backup is gone", async () => {
    const names = await missionNames();
    expect(names).toContain("Backed up");
    expect(names).not.toContain("Too late");
  });

  test("a flight has its file, which is what the drone uploaded", async () => {
    const { assets, status } = await reply(
      client.api.GET("/executions/{execution_id}", { params: { path: { execution_id: flight.id } } }),
    ).then(({ data }) => data);
    expect(status).toBe("completed");
    expect(assets.map(({ id }) => id)).toContain(flight.asset_id);
    const params = { path: { vehicle_id: crew.far.id, asset_id: flight.asset_id } };
    const { download_url } = await reply(
      client.api.GET("/assets/{vehicle_id}/download/{asset_id}", { params }),
    );
    const file = Buffer.from(await (await fetch(download_url)).arrayBuffer());
    expect(sha256(file)).toBe(sha256(content));
  });

  test(
    "a drone that had not been activated is activated with its old token, and a new one gets an address of its own",
    async () => {
      const activated = await activate(String(spare.activation_token));
      expect(activated).toContain(`Address = ${spare.ip}/32`);
      expect(keyIn(activated, "PublicKey")).toBe(keyIn(config, "PublicKey"));
      const added = await crew.addDrone("New");
      expect(addresses).not.toContain(added.ip);
    },
    MINUTES,
  );

  test(
    "orders, telemetry, sticks and the drone's calls work",
    async () => {
      const clients = crew.interruptions();
      clients.start();
      try {
        await clients.allServed(MINUTES);
      } finally {
        await clients.stop();
      }
    },
    3 * MINUTES,
  );
}
