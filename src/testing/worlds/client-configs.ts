import type { Ipv4 } from "../../domain/ipv4";
import { type Member, toMember } from "../../domain/peers";
import { openObjects } from "../../platform/objects/client";
import { ConfigStore } from "../../tunnel/client-configs/store";
import type { HubForClients } from "../../tunnel/client-configs/text";
import { generateKeyPair } from "../../tunnel/wireguard/keys";
import { freshObjects } from "../fresh-servers";

/** An empty store of client configs. `storeAt` opens it at another address, such as a link that a test can cut. */
export async function freshConfigStore(): Promise<{
  readonly store: ConfigStore;
  readonly url: string;
  readonly storeAt: (url: string) => ConfigStore;
}> {
  const { url, accessKeyId, secretAccessKey } = await freshObjects("vpn-test");
  const storeAt = (endpoint: string) =>
    new ConfigStore(
      openObjects({
        S3_ENDPOINT: endpoint,
        S3_REGION: "us-east-1",
        S3_ACCESS_KEY_ID: accessKeyId,
        S3_SECRET_ACCESS_KEY: secretAccessKey,
      }),
      "vpn-test",
    );
  return { store: storeAt(url), url, storeAt };
}

/** The user plane's hub, with a key of this run. */
export const hubForClients: HubForClients = {
  plane: "users",
  publicKey: generateKeyPair().publicKey,
  endpointHost: "vpn.example.com",
  dns: "172.31.0.2",
};

let rows = 0;
/** A user of the VPN whom no other test of the file has. */
export const newMember = (): Member =>
  toMember({
    plane: "users",
    rowId: ++rows,
    keyId: `00000000-0000-4000-8000-${String(rows).padStart(12, "0")}`,
    ip: `10.70.1.${rows}` as Ipv4,
  });
