import { planes } from "../../domain/tunnel-planes";
import { SimulatedOs } from "../os/simulated-os";
import { ensureInterface, type InterfaceSettings } from "./interface";
import { generateKeyPair } from "./keys";
import { overlaps } from "./routes";

const settings: InterfaceSettings = {
  plane: planes.users,
  hubKey: generateKeyPair(),
  mtu: 1420,
  dataplane: "auto",
};

test("a new interface takes these commands, and a second look none", async () => {
  const os = new SimulatedOs();
  await ensureInterface(os, settings);
  expect(os.commands).toEqual([
    "ip link add users0 type wireguard",
    "ip address add 10.70.0.1/16 dev users0",
    "ip link set users0 mtu 1420 up",
    "wg set users0 listen-port 51823 private-key /dev/stdin <<'END'\n(secret)\nEND",
  ]);
  os.commands.length = 0;
  expect((await ensureInterface(os, settings)).changes).toEqual([]);
  expect(os.commands).toEqual([]);
});

test("an interface that is up with another MTU is given only that", async () => {
  const os = new SimulatedOs();
  await ensureInterface(os, settings);
  os.commands.length = 0;
  await ensureInterface(os, { ...settings, mtu: 1500 });
  expect(os.commands).toEqual(["ip link set users0 mtu 1500 up"]);
});

const standby: InterfaceSettings = { ...settings, mayCarry: () => false };

test("one that may not carry is down and has no key, until it may; the key comes last", async () => {
  const os = new SimulatedOs();
  const { observed } = await ensureInterface(os, standby);
  expect(observed.publicKey).toBe("(none)");
  expect(os.links.get("users0")).toMatchObject({ up: false, addresses: ["10.70.0.1/16"], mtu: 1420 });
  os.commands.length = 0;
  expect((await ensureInterface(os, standby)).changes).toEqual([]);
  await ensureInterface(os, settings);
  expect(os.commands).toEqual([
    "ip link set users0 mtu 1420 up",
    "wg set users0 listen-port 51823 private-key /dev/stdin <<'END'\n(secret)\nEND",
  ]);
});

test.each([
  ["is up", () => {}],
  [
    "was only taken down",
    (os: SimulatedOs) => os.run(["ip", "link", "set", "users0", "mtu", "1420", "down"]),
  ],
])("one that may not carry any more and %s is made anew, without key and sessions", async (_, before) => {
  const os = new SimulatedOs();
  await ensureInterface(os, settings);
  await before(os);
  os.commands.length = 0;
  const { observed } = await ensureInterface(os, standby);
  expect(os.commands.slice(0, 2)).toEqual(["ip link delete users0", "ip link add users0 type wireguard"]);
  expect(observed.publicKey).toBe("(none)");
  expect(os.links.get("users0")?.up).toBe(false);
});

test("a key is not set when the right to carry ends while the interface goes up", async () => {
  const os = new SimulatedOs();
  const mayCarry = () => !os.commands.some((command) => command.endsWith(" up"));
  const { observed } = await ensureInterface(os, { ...settings, mayCarry });
  expect(observed.publicKey).toBe("(none)");
});

test("wireguard-go is started where that is asked for", async () => {
  const os = new SimulatedOs();
  await ensureInterface(os, { ...settings, dataplane: "wireguard-go" });
  expect(os.commands[0]).toBe("setsid nice -n -10 env LOG_LEVEL=silent wireguard-go users0");
});

test("a plane that the node routes elsewhere is refused, both named, and nothing is made", async () => {
  const os = new SimulatedOs();
  os.routes = [
    { dst: "default", dev: "eth0" },
    { dst: "10.70.128.0/24", dev: "cni0" },
  ];
  await expect(ensureInterface(os, settings)).rejects.toThrow(
    /10\.70\.0\.0\/16 .*10\.70\.128\.0\/24 \(cni0\)/,
  );
  expect(os.commands).toEqual([]);
});

test.each([
  ["default", "10.70.0.0/16", false],
  ["10.71.0.0/16", "10.70.0.0/16", false],
  ["10.70.3.0/24", "10.70.0.0/16", true],
  ["10.0.0.0/8", "10.70.0.0/16", true],
  ["10.70.255.255", "10.70.0.0/16", true],
  ["0.0.0.0/0", "10.70.0.0/16", false],
])("%s overlaps %s: %s", (a, b, expected) => {
  expect(overlaps(a, b)).toBe(expected);
});
