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
    "wg set users0 listen-port 51823 private-key /dev/stdin <<'END'\n(secret)\nEND",
    "ip address add 10.70.0.1/16 dev users0",
    "ip link set users0 mtu 1420 up",
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

test("wireguard-go is started where that is asked for", async () => {
  const os = new SimulatedOs();
  await ensureInterface(os, { ...settings, dataplane: "wireguard-go" });
  expect(os.commands[0]).toBe("nice -n -10 env WG_PROCESS_FOREGROUND=1 wireguard-go users0 &");
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
