import { hubAddress, template } from "./helm";

test.each([
  ["a second gateway", { gateway: { replicas: 2 } }, /replicas/],
  ["a gateway that scales", { gateway: { autoscaling: { enabled: true } } }, /autoscaling/],
  ["leases, which there are none of yet", { leases: { enabled: true } }, /leases/],
  [
    "a second hub",
    { tunnel: { enabled: true, endpointHost: "vpn.example.com", nodes: ["one", "two"] }, ...hubAddress },
    /nodes/,
  ],
  ["a tunnel that no client could find", { tunnel: { enabled: true }, ...hubAddress }, /endpointHost/],
  [
    "a tunnel whose nodes are unknown",
    { tunnel: { enabled: true, endpointHost: "vpn.example.com" } },
    /tunnelNodes/,
  ],
  ["the contract profile in production", { accessProfile: "contract" }, /deployment/],
  ["no database", { postgres: { enabled: false } }, /existingSecret/],
  ["no Redis", { redis: { enabled: false } }, /existingSecret/],
  ["a Janus without an image", { janus: { enabled: true } }, /image/],
  ["an instance without its name", { simulation: { provider: "ec2" } }, /ec2InstanceId/],
  ["a misspelt value", { gatway: {} }, /gatway/],
  ["a number as a variable", { gateway: { env: { LINK_IDLE_SECONDS: 5 } } }, /LINK_IDLE_SECONDS/],
])("%s is refused, and named", async (_what, values, named) => {
  await expect(template(values)).rejects.toMatchObject({ stderr: expect.stringMatching(named) });
});
