import type { Ipv4 } from "../../domain/ipv4";
import { type DialConfig, linkTarget, refusesSimulator, simulatedPorts } from "./link-target";

const production: DialConfig = {
  ACCESS_PROFILE: "strict",
  DEPLOYMENT: "production",
  JUMPHOST_URL: undefined,
  SIMULATOR_HOSTS: ["simulator.fleet.svc", "Lab.example.com", "192.0.2.7"],
  SIMULATOR_PORT: 5760,
  SIMULATOR_COPTERS: 3,
  SIMULATOR_ROVERS: 2,
};
const physical = { id: 7, type: "physical", ip: "10.71.0.9" as Ipv4, port: 5001, link_host: null } as const;
const sitl = { ...physical, type: "sitl", ip: "10.71.240.1" as Ipv4, port: 5760 } as const;

test("a physical drone is dialled at its own address, through the jumphost when there is one", () => {
  const target = { key: "drone:7", host: "10.71.0.9", port: 5001 };
  expect(linkTarget(production, physical)).toEqual({ ...target, via: "direct" });
  const config = { ...production, JUMPHOST_URL: "ws://jumphost:5051" };
  expect(linkTarget(config, physical)).toEqual({ ...target, via: "jumphost" });
});

test("a simulated drone is dialled directly, at its own simulator or the first one listed, never at its address", () => {
  const config = { ...production, JUMPHOST_URL: "ws://jumphost:5051" };
  const target = { key: "drone:7", port: 5760, via: "direct" };
  expect(linkTarget(config, sitl)).toEqual({ ...target, host: "simulator.fleet.svc" });
  expect(linkTarget(config, { ...sitl, link_host: "192.0.2.7" })).toEqual({ ...target, host: "192.0.2.7" });
});

test.each([
  ["the first listed host", null, 5760, true],
  ["a listed host at any port", "lab.example.com", 9000, true],
  ["a listed address at any port", "192.0.2.7", 1, true],
  ["an unlisted host", "redis.fleet.svc", 5760, false],
  ["a host that ends like a listed one", "evil-lab.example.com", 5760, false],
  ["loopback", "127.0.0.1", 5760, false],
  ["a cloud's metadata address", "169.254.169.254", 80, false],
])("in production %s may be dialled: %s:%i %s", (_what, link_host, port, allowed) => {
  expect(refusesSimulator(production, { link_host, port }) === undefined).toBe(allowed);
});

test.each([
  ["its first vehicle", null, 5760, true],
  ["its last vehicle", null, 5764, true],
  ["its first vehicle by its host", "127.0.0.1", 5760, true],
  ["the port after its last vehicle", null, 5765, false],
  ["another port of its host", null, 6379, false],
  ["another host", "192.0.2.7", 5760, false],
])(
  "where no host is listed, of the simulator beside the gateway %s may be dialled: %s:%i %s",
  (_what, link_host, port, allowed) => {
    const alone = { ...production, SIMULATOR_HOSTS: [] };
    expect(refusesSimulator(alone, { link_host, port }) === undefined).toBe(allowed);
    if (allowed)
      expect(linkTarget(alone, { ...sitl, link_host, port })).toMatchObject({ host: "127.0.0.1", port });
  },
);

test("a laptop dials any simulator", () => {
  const config = { ...production, DEPLOYMENT: "local" as const };
  expect(refusesSimulator(config, { link_host: "127.0.0.1", port: 14_550 })).toBeUndefined();
});

test("a refusal says what to do, and a drone stored before the list was shortened is not dialled", () => {
  const stored = { ...sitl, link_host: "redis.fleet.svc" };
  expect(refusesSimulator(production, stored)).toMatch(/SIMULATOR_HOSTS/);
  expect(() => linkTarget(production, stored)).toThrow(
    expect.objectContaining({ code: "vehicle_unreachable" }),
  );
});

test("rovers have the ports after the copters', and share those of the other kind when there are none", () => {
  const ports = (copters: number, rovers: number) =>
    (["copter", "rover"] as const).map((type) => {
      const counts = { SIMULATOR_COPTERS: copters, SIMULATOR_ROVERS: rovers };
      const { first, last } = simulatedPorts({ ...production, ...counts }, type);
      return [first, last];
    });
  expect(ports(3, 2)).toEqual([
    [5760, 5762],
    [5763, 5764],
  ]);
  expect(ports(3, 0)).toEqual([
    [5760, 5762],
    [5760, 5762],
  ]);
  expect(ports(0, 2)).toEqual([
    [5760, 5761],
    [5760, 5761],
  ]);
  expect(ports(0, 0)).toEqual([
    [5760, 5760],
    [5760, 5760],
  ]);
});
