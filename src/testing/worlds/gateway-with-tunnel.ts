import { createServer } from "node:http";
import { saveSubscription } from "../../features/billing";
import { publishCompose } from "../../features/provisioning";
import { closeServer, listen } from "../../http/server/listen";
import { freePort } from "../../laptop/free-port";
import { loadConfig, tunnelConfig } from "../../platform/config";
import { startTunnel, type Tunnel } from "../../tunnel";
import { SimulatedOs } from "../../tunnel/os/simulated-os";
import { generateKeyPair } from "../../tunnel/wireguard/keys";
import { atEndOfFile } from "../clean-up";
import { freshObjects } from "../fresh-servers";
import { type InterruptibleLink, interruptibleLink } from "./interruptible-link";
import { startTestGateway, type TestGateway, type TestUser } from "./start-gateway";

export interface GatewayWithTunnel {
  readonly gateway: TestGateway;
  readonly os: SimulatedOs;
  /** From the gateway to the tunnel's status API, and to the object store. */
  readonly links: Readonly<Record<"tunnel" | "objects", InterruptibleLink>>;
  readonly objectsUrl: string;
  /** Start the tunnel service, where it was not started with the gateway. */
  startTunnel(): Promise<Tunnel>;
  newDrone(owner: TestUser, vehicleType?: "copter" | "rover"): Promise<NewDrone>;
}

export interface NewDrone {
  readonly id: number;
  readonly ip: string;
  readonly activation_token: string;
}

const TEST_TUNNEL_SECRET = "a tunnel secret of enough length";
export const TEST_COMPOSE = { EDGE_PORT: 8088 };

/**
 * A gateway and a real tunnel service on the same rows and objects; only the operating system below the tunnel is
 * simulated. Users reach the object store at `localhost`, we at 127.0.0.1, drones nowhere, so that a URL which was
 * signed for somebody else does not work.
 */
export async function gatewayWithTunnel(
  options: { env?: Record<string, string>; tunnel?: "strict" | "later" } = {},
): Promise<GatewayWithTunnel> {
  const [objects, port] = await Promise.all([freshObjects("fleet", "fleet-vpn"), freePort()]);
  const links = {
    tunnel: await interruptibleLink(`http://127.0.0.1:${port}`),
    objects: await interruptibleLink(objects.url),
  };
  const s3 = { S3_ACCESS_KEY_ID: objects.accessKeyId, S3_SECRET_ACCESS_KEY: objects.secretAccessKey };
  const gateway = await startTestGateway({
    ...s3,
    S3_ENDPOINT: links.objects.url,
    S3_PUBLIC_ENDPOINT: objects.url.replace("127.0.0.1", "localhost"),
    S3_DRONE_ENDPOINT: "http://10.71.0.1:9000",
    VPN_SERVICE_URL: links.tunnel.url,
    TUNNEL_API_SECRET: TEST_TUNNEL_SECRET,
    REGISTRY_URL: "registry.example.com/fleet",
    REGISTRY_USERNAME: "drone",
    REGISTRY_PASSWORD: "pull only",
    LOGIN_FAILURES_PER_15_MINUTES: "0",
    NETWORK_LOGIN_FAILURES_PER_15_MINUTES: "0",
    ...options.env,
  });
  const os = new SimulatedOs();
  const start = async () => {
    const config = loadConfig(tunnelConfig, {
      ...s3,
      DATABASE_URL: gateway.databaseUrl,
      S3_ENDPOINT: objects.url,
      USERS_PRIVATE_KEY: generateKeyPair().privateKey,
      DRONES_PRIVATE_KEY: generateKeyPair().privateKey,
      VPN_ENDPOINT_HOST: "hub.example.com",
      TUNNEL_PORT: String(port),
      JUMPHOST_PORT: "0",
      TUNNEL_API_SECRET: TEST_TUNNEL_SECRET,
      ACCESS_PROFILE: options.tunnel === "strict" ? "strict" : "contract",
      LOG_LEVEL: "silent",
      DEPLOYMENT: "local",
      SHUTDOWN_DRAIN_SECONDS: "2",
    });
    const tunnel = await startTunnel(config, { dataPlane: { os, dataplane: "auto" }, checkReplies: true });
    atEndOfFile(() => tunnel.lifecycle.stop("the tests are over"));
    return tunnel;
  };
  await publishCompose(gateway.deps.store, TEST_COMPOSE);
  if (options.tunnel !== "later") await start();
  const newDrone = async ({ api, id }: TestUser, vehicleType = "copter") => {
    await saveSubscription(gateway.deps.db, id, { status: "active", vehicle_count: 50 });
    const input = { type: "physical", name: "A drone", vehicle_type: vehicleType };
    return (await api.post("/drone", input)).body as NewDrone;
  };
  return { gateway, os, links, objectsUrl: objects.url, startTunnel: start, newDrone };
}

/** A FAKE tunnel service that answers every request with `says`. */
export async function fakeTunnel(): Promise<{ url: string; says: { status: number; text: string } }> {
  const says = { status: 200, text: "" };
  const server = createServer((_, response) => {
    response.writeHead(says.status, { "content-type": "application/json" }).end(says.text);
  });
  const url = await listen(server, 0, "127.0.0.1");
  atEndOfFile(() => closeServer(server));
  return { url, says };
}
