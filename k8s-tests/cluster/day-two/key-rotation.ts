import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WebSocket } from "ws";
import { reply } from "../../../src/client/client";
import { until } from "../../../src/testing/until";
import { downloadConfig } from "../client-config";
import { activate, crew, keyIn } from "../clients/crew";
import { client, MINUTES, pilot } from "../flight";
import { core, exec, namespace, origin, release } from "../release";
import { commandsOf, Terminal } from "./page-commands";

const PAGE = "operation/key-rotation.md";
/** What is not interrupted is delayed by the pods that start beside it. */
const DELAY_MS = 2_000;

const functions = commandsOf(PAGE, "Commands");
const rotate = (terminal: Terminal, heading: string, edit = (commands: string) => commands) =>
  terminal.type(functions, edit(commandsOf(PAGE, heading)));

async function secret(name: string, key: string): Promise<string> {
  const { data } = await core.readNamespacedSecret({ namespace, name });
  return Buffer.from(data?.[key] ?? "", "base64").toString();
}

/** The close code of a session with the relay. */
const closeCode = (token: string): Promise<number> => {
  const url = `${origin.replace("http", "ws")}/redispad/${crew.far.id}?access_token=${token}`;
  const socket = new WebSocket(url);
  return new Promise((resolve, reject) => socket.once("close", resolve).once("error", reject));
};

const statusOf = async (token: string): Promise<number> =>
  (await fetch(`${origin}/api/v1/user`, { headers: { Authorization: `Bearer ${token}` } })).status;

/** Each rotation of docs/operation/key-rotation.md, by its commands, while everybody is connected. */
export function testKeyRotation(interruptions: ReturnType<typeof crew.interruptions>): void {
  const terminal = new Terminal();

  test(
    "a rotated VPN key is dead within a second, and its owner is back with the new config; nobody else notices",
    async () => {
      const before = keyIn(await downloadConfig(client), "PrivateKey");
      const gaps = await interruptions.during("VPN key of a user", async () => {
        const name = (commands: string) => commands.replace("pilot@example.com", pilot.username);
        await rotate(terminal, "VPN key of one user or drone", name);
        await until(async () => !(await crew.reachesDrone()), 1_000);
        const config = await until(async () => {
          const text = await downloadConfig(client);
          return keyIn(text, "PrivateKey") !== before && text;
        });
        await crew.pilotVpn.join(config);
      });
      expect(gaps["drone's calls"]).toBeLessThan(DELAY_MS);
      expect(gaps.API).toBeLessThan(DELAY_MS);
      expect(gaps.sticks).toBeLessThan(DELAY_MS);
    },
    3 * MINUTES,
  );

  test(
    "a drone is activated again with a new token, keeps its VPN key, and stays connected meanwhile",
    async () => {
      const before = keyIn(await crew.droneConfig(), "PrivateKey");
      const gaps = await interruptions.during("activation token", async () => {
        const name = (commands: string) => commands.replace("--drone 7", `--drone ${crew.far.id}`);
        const printed = await rotate(terminal, "Activation token of a drone", name);
        const [token = ""] = /\d{10}/.exec(printed) ?? [];
        expect(keyIn(await activate(token), "PrivateKey")).toBe(before);
      });
      expect(gaps.tunnel).toBeLessThan(DELAY_MS);
      expect(gaps["drone's calls"]).toBeLessThan(DELAY_MS);
    },
    3 * MINUTES,
  );

  test(
    "with another JWT_SECRET users log in again, and drones notice nothing",
    async () => {
      const token = client.accessToken as string;
      const gaps = await interruptions.during("JWT_SECRET", () => rotate(terminal, "JWT_SECRET"));
      expect(await statusOf(token)).toBe(401);
      expect(await closeCode(token)).toBe(4401);
      expect(await statusOf(client.accessToken as string)).toBe(200);
      expect(gaps.tunnel).toBeLessThan(DELAY_MS);
      expect(gaps["drone's calls"]).toBeLessThan(DELAY_MS);
    },
    6 * MINUTES,
  );

  test(
    "with another EDGE_SECRET and TUNNEL_API_SECRET the drone is identified again, and no tunnel is touched",
    async () => {
      const heading = "EDGE_SECRET and TUNNEL_API_SECRET";
      const gaps = await interruptions.during(heading, () => rotate(terminal, heading));
      expect(gaps.tunnel).toBeLessThan(DELAY_MS);
      await until(async () => (await reply(client.api.GET("/user/vpn/status"))).status, MINUTES);
    },
    6 * MINUTES,
  );

  test(
    "with another GATEWAY_PEER_SECRET no tunnel is touched",
    async () => {
      const before = await secret(`${release}-keys`, "GATEWAY_PEER_SECRET");
      const gaps = await interruptions.during("GATEWAY_PEER_SECRET", () =>
        rotate(terminal, "GATEWAY_PEER_SECRET"),
      );
      expect(await secret(`${release}-keys`, "GATEWAY_PEER_SECRET")).not.toBe(before);
      expect(gaps.tunnel).toBeLessThan(DELAY_MS);
      expect(gaps.API).toBeLessThan(DELAY_MS);
    },
    6 * MINUTES,
  );

  test(
    "with another ARCHIVE_SIGNING_KEY new archives have it, and the old public key is kept",
    async () => {
      const gaps = await interruptions.during("ARCHIVE_SIGNING_KEY", () =>
        rotate(terminal, "ARCHIVE_SIGNING_KEY"),
      );
      const kept = JSON.parse(
        readFileSync(join(terminal.folder, "archive-key-of-old-archives.json"), "utf8"),
      );
      const now = await (await fetch(`${origin}/api/v1/executions/archive-key`)).json();
      expect(kept.public_key).toContain("PUBLIC KEY");
      expect((now as typeof kept).public_key).not.toBe(kept.public_key);
      expect(gaps.tunnel).toBeLessThan(DELAY_MS);
      expect(gaps.API).toBeLessThan(DELAY_MS);
    },
    6 * MINUTES,
  );

  test(
    "with another password of the database every process has it, and the old one is refused",
    async () => {
      const old = await secret(`${release}-database`, "password");
      const heading = "Password of the database";
      const gaps = await interruptions.during(heading, () => rotate(terminal, heading));
      const asking = `PGPASSWORD=${old} psql -h "$(hostname -i)" -U fleet -d fleet -c 'SELECT 1'`;
      await expect(exec(`statefulset/${release}-postgres`, "postgres", ["sh", "-c", asking])).rejects.toThrow(
        "password authentication failed",
      );
      expect(gaps.tunnel).toBeLessThan(DELAY_MS);
    },
    6 * MINUTES,
  );

  test(
    "with other passwords of the tunnel's role and of the store's users the hub makes peers as before",
    async () => {
      const heading = "Passwords of the tunnel's role and of the store's users";
      const gaps = await interruptions.during(heading, () => rotate(terminal, heading));
      expect(gaps.tunnel).toBeLessThan(DELAY_MS);
      // The hub reads the row, and writes the config; the gateway signs the link and reads the config.
      const drone = await crew.addDrone("After the rotation");
      const params = { path: { drone_id: drone.id } };
      await until(() => reply(client.api.GET("/drone/{drone_id}/vpn/config", { params })), MINUTES);
      await reply(client.api.DELETE("/drone/{drone_id}", { params }));
    },
    8 * MINUTES,
  );

  test(
    "with another password of the store's owner its users have their files as before",
    async () => {
      const heading = "Password of the store's owner";
      const gaps = await interruptions.during(heading, () => rotate(terminal, heading));
      expect(gaps.API).toBeLessThan(DELAY_MS);
      expect(gaps.tunnel).toBeLessThan(DELAY_MS);
      expect(gaps.sticks).toBeLessThan(DELAY_MS);
      await until(() => downloadConfig(client), MINUTES);
    },
    6 * MINUTES,
  );

  test(
    "with other passwords of Redis sticks, links and telemetry are back, and no tunnel was touched",
    async () => {
      const gaps = await interruptions.during("Passwords of Redis", () =>
        rotate(terminal, "Passwords of Redis"),
      );
      expect(gaps.tunnel).toBeLessThan(DELAY_MS);
    },
    8 * MINUTES,
  );

  test(
    "with other keys of the hub each client is back with its new config, which has its own key",
    async () => {
      const [pilots, drones] = [await downloadConfig(client), await crew.droneConfig()];
      const heading = "USERS_PRIVATE_KEY and DRONES_PRIVATE_KEY";
      await interruptions.during(heading, async () => {
        await rotate(terminal, heading);
        await until(async () => !(await crew.reachesDrone()), MINUTES);
        const began = performance.now();
        const rewritten = async (before: string, download: () => Promise<string>) =>
          until(
            async () => {
              const now = await download();
              return keyIn(now, "PublicKey") !== keyIn(before, "PublicKey") && now;
            },
            MINUTES,
            500,
          );
        const configs = [
          await rewritten(pilots, () => downloadConfig(client)),
          await rewritten(drones, () => crew.droneConfig()),
        ] as const;
        process.stdout.write(`Configs were rewritten after ${Math.round(performance.now() - began)} ms.\n`);
        expect(configs.map((config) => keyIn(config, "PrivateKey"))).toEqual(
          [pilots, drones].map((config) => keyIn(config, "PrivateKey")),
        );
        await crew.pilotVpn.join(configs[0]);
        await crew.droneVpn.join(configs[1]);
      });
    },
    6 * MINUTES,
  );
}
