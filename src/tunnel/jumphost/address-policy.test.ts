import { type AddressPolicy, addressPolicy } from "./address-policy";
import { PipeError } from "./pipe-error";

const policy = (simulatorHosts: string[], names: Record<string, string> = {}) =>
  addressPolicy({
    simulatorHosts,
    resolve: async (name) => names[name] ?? Promise.reject(new PipeError("unreachable", "no such name")),
  });
const find = (allow: AddressPolicy, host: string, port = 5001) => allow(host, port);

test("every address of the drones' range is one vehicle, whatever the port", async () => {
  for (const host of ["10.71.0.2", "10.71.239.255"]) {
    expect(await find(policy([]), host)).toEqual({ address: host, port: 5001, vehicle: host, isDrone: true });
  }
});

test.each([
  "10.71.0.0",
  "10.71.0.1",
  "10.71.240.0",
  "10.71.255.254",
  "10.70.0.2",
  "127.0.0.1",
  "169.254.169.254",
  "192.0.2.7",
  "0.0.0.0",
  "255.255.255.255",
  "simulator",
])("%s is not dialled unless it is a simulator's host", async (host) => {
  await expect(find(policy([]), host)).rejects.toMatchObject({ reason: "not_allowed" });
});

test("a simulator's host is dialled at the address that its name had at the request, and each port is one vehicle", async () => {
  const names: Record<string, string> = { simulator: "192.0.2.7" };
  const asked: string[] = [];
  const pinned = addressPolicy({
    simulatorHosts: ["simulator", "192.0.2.9"],
    resolve: async (name) => {
      asked.push(name);
      return names[name] ?? "";
    },
  });
  expect(await find(pinned, "simulator", 5760)).toEqual({
    address: "192.0.2.7",
    port: 5760,
    vehicle: "192.0.2.7:5760",
    isDrone: false,
  });
  expect(asked).toEqual(["simulator"]);
  expect(await find(pinned, "192.0.2.9", 5770)).toMatchObject({ vehicle: "192.0.2.9:5770" });
});

test("a simulator's name that does not resolve is unreachable, and one without an IPv4 address is refused", async () => {
  await expect(find(policy(["gone"]), "gone")).rejects.toMatchObject({ reason: "unreachable" });
  await expect(find(policy(["six"], { six: "::1" }), "six")).rejects.toMatchObject({ reason: "not_allowed" });
});
