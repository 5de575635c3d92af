import { parseExtraAllow } from "../../../src/tunnel/firewall/extra-allow";
import { hubAddress, template } from "../helm";

const noLeases = { leases: { enabled: false } };
const contract = { accessProfile: "contract", deployment: "local" };

test.each([
  ["a second gateway without leases", { ...noLeases, gateway: { replicas: 2 } }, /replicas/],
  [
    "a gateway that scales without leases",
    { ...noLeases, gateway: { autoscaling: { enabled: true } } },
    /autoscaling/,
  ],
  ["a second gateway in the contract profile", { ...contract, gateway: { replicas: 2 } }, /replicas/],
  [
    "gateways that scale in the contract profile",
    { ...contract, gateway: { autoscaling: { enabled: true } } },
    /autoscaling/,
  ],
  [
    "a second hub",
    { tunnel: { enabled: true, endpointHost: "vpn.example.com", nodes: ["one", "two"] }, ...hubAddress },
    /nodes/,
  ],
  [
    "the addresses of two hubs",
    {
      tunnel: { enabled: true, endpointHost: "vpn.example.com" },
      networkPolicy: { tunnelNodes: ["10.1.2.3/32", "10.1.2.4/32"] },
    },
    /more than one node.*tunnelSources/,
  ],
  ["a tunnel without a host name for clients", { tunnel: { enabled: true }, ...hubAddress }, /endpointHost/],
  [
    "a tunnel whose nodes are unknown",
    { tunnel: { enabled: true, endpointHost: "vpn.example.com" } },
    /tunnelNodes/,
  ],
  ["the contract profile in production", { accessProfile: "contract" }, /deployment/],
  ["no database", { postgres: { enabled: false } }, /existingSecret/],
  ["no Redis", { redis: { enabled: false } }, /existingSecret/],
  ["a map's volume without a file", { gateway: { map: { existingClaim: "maps" } } }, /gateway\.map\.file/],
  [
    "a map's file without a volume",
    { gateway: { map: { file: "a.pmtiles" } } },
    /gateway\.map\.existingClaim/,
  ],
  ["routes of no Gateway", { route: { enabled: true } }, /parentRefs/],
  ["a Janus without an image", { janus: { enabled: true } }, /image/],
  ["an instance without its name", { simulation: { provider: "ec2" } }, /ec2InstanceId/],
  [
    "a hub's address that is not a range",
    {
      tunnel: { enabled: true, endpointHost: "vpn.example.com" },
      networkPolicy: { tunnelNodes: ["10.1.2.3"] },
    },
    /tunnelNodes/,
  ],
  ["a server's address that is not a range", { external: { redis: { cidrs: ["10.1.2.3"] } } }, /cidrs/],
  ["a mail server without a scheme", { mail: { url: "mail.example.com:25" } }, /mail\/url/],
  ["a simulator without a vehicle", { simulator: { copters: 0 } }, /simulator/],
  [
    "a maximum of replicas below the minimum",
    { relay: { autoscaling: { enabled: true, minReplicas: 9 } } },
    /relay\.autoscaling/,
  ],
  [
    "gateways that scale by processor time without a request for it",
    { gateway: { autoscaling: { enabled: true }, resources: { requests: { cpu: null } } } },
    /gateway\.autoscaling.*gateway\.resources\.requests\.cpu/,
  ],
  [
    "relays that scale by processor time without a request for it",
    { relay: { autoscaling: { enabled: true }, resources: { requests: null } } },
    /relay\.autoscaling.*relay\.resources\.requests\.cpu/,
  ],
  ["a misspelt value of a bundled server", { minio: { persistence: { siez: "1Ti" } } }, /siez/],
  ["one bucket for files and keys", { objects: { bucket: "fleet", vpnBucket: "fleet" } }, /vpnBucket/],
  ["no object store", { minio: { enabled: false } }, /minio\.enabled=false.*objects\.bucket/],
  [
    "keys in another account's bucket",
    { minio: { enabled: false }, objects: { bucket: "example-fleet" } },
    /minio\.enabled=false.*objects\.vpnBucket/,
  ],
  ["a range of ports that ends before it begins", { janus: { rtpPorts: "20200-20000" } }, /rtpPorts/],
  [
    "a role for the tunnel without its URL",
    { external: { database: { createTunnelRole: true } } },
    /tunnelUrl/,
  ],
  ["a port above 65535", { external: { redis: { port: 70_000 } } }, /redis\/port|redis\.port/],
  [
    "a former name of the runbooks' folder",
    { monitoring: { runbooks: "https://a.example.com" } },
    /monitoring\.runbooks.*monitoring\.runbookBase/,
  ],
  ["a former name", { tunnel: { follower: { resources: {} } } }, /tunnel\.follower.*tunnel\.activeHub/],
  [
    "wireguard-go in the tunnel's pod",
    { tunnel: { userspace: { enabled: true } } },
    /tunnel\.userspace\.enabled is gone/,
  ],
  ["a wait that is a constant now", { setup: { waitSeconds: 600 } }, /setup\.waitSeconds is gone/],
  [
    "an image of its own for the router",
    { setup: { mavlinkRouterImage: "router:1" } },
    /setup\.mavlinkRouterImage is gone.*setup\.onboardImage/,
  ],
  ["a misspelt value", { gatway: {} }, /gatway/],
  ["a misspelt variable", { gateway: { env: { LINK_CONNECT_TIMEOUT: 5 } } }, /LINK_CONNECT_TIMEOUT\b/],
  [
    "a word where a number belongs",
    { gateway: { env: { LINK_CONNECT_TIMEOUT_MS: "long" } } },
    /LINK_CONNECT_TIMEOUT_MS/,
  ],
  ["a number that is too small", { relay: { env: { RELAY_PING_SECONDS: 0 } } }, /RELAY_PING_SECONDS/],
  ["a secret as a variable", { gateway: { env: { STRIPE_SECRET_KEY: "sk_live" } } }, /STRIPE_SECRET_KEY/],
  ["a port that a Service leads to", { gateway: { env: { GATEWAY_PORT: 80 } } }, /GATEWAY_PORT/],
  ["a variable that another value sets", { gateway: { env: { JANUS_URL: "http://janus" } } }, /JANUS_URL/],
])("%s is refused, and named", async (_what, values, named) => {
  await expect(template(values)).rejects.toMatchObject({ stderr: expect.stringMatching(named) });
});

test.each([
  "10.71.0.0/16",
  "users>10.71.0.2:tcp/22",
  "drones>10.70.255.255",
  "10.0.0.0/8:tcp/80",
  "10.70.0.0/15",
  "10.64.0.0/12",
  "10.71.3.0/24>192.0.2.1",
  "10.0.0.0/8>192.0.2.1",
  "10.72.0.0/16",
  "10.69.0.0/16:udp/53",
  "10.68.0.0/15",
  "10.128.0.0/9",
  "0.0.0.0/0",
  "192.0.2.1>10.71.0.2:tcp/80",
  "10.72.0.0/13>10.71.0.2",
])("the extra destination %s is accepted or refused as by the hub at its start", async (text) => {
  const verdict = (text: string) => (/a plane to a plane|a part of a plane/.exec(text) ?? ["is accepted"])[0];
  const hub = () => verdict(parseExtraAllow(text) && "");
  const wanted = await Promise.resolve()
    .then(hub)
    .catch(({ message }) => verdict(message));
  const refusal = await template({ tunnel: { firewallExtraAllow: [text] } }).then(
    () => "",
    ({ stderr }) => {
      expect(stderr).toContain(`tunnel.firewallExtraAllow: "${text}"`);
      return stderr as string;
    },
  );
  expect(verdict(refusal)).toBe(wanted);
});
