import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { AdminCommand } from "./command";

export const keysCommand: AdminCommand = {
  usage: "keys",
  summary: "Print a fresh set of secrets, ready for an environment file.",

  async run() {
    const random = () => randomBytes(32).toString("base64url");
    const lines = {
      JWT_SECRET: random(),
      EDGE_SECRET: random(),
      TUNNEL_API_SECRET: random(),
      GATEWAY_PEER_SECRET: random(),
      USERS_PRIVATE_KEY: wireguardPrivateKey(),
      DRONES_PRIVATE_KEY: wireguardPrivateKey(),
      ARCHIVE_SIGNING_KEY: signingKey(),
    };
    for (const [name, value] of Object.entries(lines)) process.stdout.write(`${name}=${value}\n`);
  },
};

/** The last 32 bytes of the PKCS #8 form are the raw x25519 key, as `wg genkey` prints it. */
const wireguardPrivateKey = (): string =>
  generateKeyPairSync("x25519")
    .privateKey.export({ type: "pkcs8", format: "der" })
    .subarray(-32)
    .toString("base64");

/** PKCS #8 on one line. */
const signingKey = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "der" }).toString("base64");
