import type { PrivateKey, PublicKey } from "../../domain/wireguard";
import { renderClientConfig } from "./text";

test.each([
  ["vpn.example.com", "vpn.example.com:51823"],
  ["192.0.2.1", "192.0.2.1:51823"],
  ["2001:db8::1", "[2001:db8::1]:51823"],
  ["[2001:db8::1]", "[2001:db8::1]:51823"],
])("a hub at %s is dialled at %s", (endpointHost, endpoint) => {
  const member = { plane: "users", keyId: "key", ip: "10.70.0.2" } as const;
  const hub = { plane: "users", publicKey: "hub's" as PublicKey, endpointHost, dns: "172.31.0.2" } as const;
  const lines = renderClientConfig(member as never, "own" as PrivateKey, hub).split("\n");
  expect(lines).toContain(`Endpoint = ${endpoint}`);
});
