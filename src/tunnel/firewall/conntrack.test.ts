import { SimulatedOs } from "../os/simulated-os";
import { type FleetRow, readFleet, validateRow } from "../reconcile/fleet";
import { forgetRevoked } from "./conntrack";

test("only known connections that no pair allows are forgotten", async () => {
  const os = new SimulatedOs();
  const line = (protocol: string, drone: string, port: number) =>
    `${protocol} 6 100 ESTABLISHED src=10.70.0.2 dst=${drone} sport=4000 dport=${port} src=${drone} dst=10.70.0.2 sport=${port} dport=4000 [ASSURED]\n`;
  const { run } = os;
  os.run = async (command, options) =>
    command.includes("-L")
      ? line("tcp", "10.71.0.2", 22) + line("tcp", "10.71.0.2", 5001) + line("udp", "172.31.0.2", 53)
      : run.call(os, command, options);
  const row = { key_id: "", owner: null, port: null };
  const rows: FleetRow[] = [
    { ...row, plane: "users", id: 1, ip: "10.70.0.2" },
    { ...row, plane: "drones", id: 2, ip: "10.71.0.2", owner: 1, port: 6001 },
  ];
  const fleet = readFleet(rows.map(validateRow));
  expect(await forgetRevoked(os, fleet)).toBe(1);
  expect(os.commands).toEqual([
    "conntrack -D -p tcp --orig-src 10.70.0.2 --orig-dst 10.71.0.2 --orig-port-dst 5001",
  ]);
});
