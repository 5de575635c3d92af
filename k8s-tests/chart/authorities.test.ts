import { hubAddress, type KubernetesObject, render } from "./helm";
import { type Container, workloads } from "./pods";

const everything = {
  tunnel: { enabled: true, endpointHost: "vpn.example.com", lease: { enabled: true }, nodes: ["one", "two"] },
  worker: { enabled: true },
  ...hubAddress,
};
const own = { external: { authorities: { existingConfigMap: "our-authorities", key: "all.pem" } } };

/** Variables with the URL of a server that may be external. */
const SERVERS = /^(DATABASE|TUNNEL_DATABASE|REDIS|EDGE_REDIS|SMTP|JANUS)_URL$|^S3_ENDPOINT$/;
const callsServers = ({ args = [], env = [] }: Container) =>
  args[0] === "node" && env.some(({ name }) => SERVERS.test(name));
const pods = (objects: readonly KubernetesObject[]) =>
  workloads(objects).map(({ object, pod }) => ({
    name: `${object.kind} ${object.metadata.name.replace(/-[0-9a-f]{8}-\d+$/, "")}`,
    volumes: pod.volumes ?? [],
    containers: [...(pod.initContainers ?? []), ...pod.containers].filter(callsServers),
  }));

test("every process that calls a server trusts the given certificate authorities", async () => {
  const found = pods(await render({ ...everything, ...own })).filter(
    ({ containers }) => containers.length > 0,
  );
  expect(
    found
      .map(({ name, containers }) => `${name}: ${containers.map((one) => one.name).join(", ")}`)
      .toSorted(),
  ).toEqual([
    "DaemonSet fleet-tunnel: tunnel",
    "Deployment fleet-gateway: wait-for-schema, gateway",
    "Deployment fleet-relay: wait-for-schema, relay",
    "Deployment fleet-worker: wait-for-schema, worker",
    "Job fleet-setup: migrate, tunnel-role, create-buckets, publish-compose",
  ]);
  for (const { name, volumes, containers } of found) {
    expect([name, volumes]).toEqual([
      name,
      expect.arrayContaining([
        {
          name: "authorities",
          configMap: { name: "our-authorities", items: [{ key: "all.pem", path: "certificates.pem" }] },
        },
      ]),
    ]);
    for (const { env, volumeMounts } of containers) {
      expect(env).toContainEqual({ name: "NODE_EXTRA_CA_CERTS", value: "/etc/authorities/certificates.pem" });
      expect(volumeMounts).toContainEqual({
        name: "authorities",
        mountPath: "/etc/authorities",
        readOnly: true,
      });
    }
  }
});

test("no certificate authority is set by default", async () => {
  const text = JSON.stringify(await render(everything));
  expect(text).not.toMatch(/NODE_EXTRA_CA_CERTS|"authorities"/);
});
