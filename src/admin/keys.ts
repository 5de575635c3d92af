import type { AdminCommand } from "./command";
import { freshSecret } from "./fresh-secret";

export const command: AdminCommand = {
  usage: "keys",
  summary: "Print a fresh set of secrets, ready for an environment file.",

  async run() {
    const lines = {
      JWT_SECRET: freshSecret.password(),
      EDGE_SECRET: freshSecret.password(),
      TUNNEL_API_SECRET: freshSecret.password(),
      GATEWAY_PEER_SECRET: freshSecret.password(),
      USERS_PRIVATE_KEY: freshSecret.wireguard(),
      DRONES_PRIVATE_KEY: freshSecret.wireguard(),
      ARCHIVE_SIGNING_KEY: freshSecret.signing(),
    };
    for (const [name, value] of Object.entries(lines)) process.stdout.write(`${name}=${value}\n`);
  },
};
