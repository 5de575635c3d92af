import { SimulatedOs } from "../os/simulated-os";
import { forgetRevoked } from "./conntrack";
import type { Pair } from "./pairs";

test("only known connections that no pair allows are forgotten", async () => {
  const os = new SimulatedOs();
  const line = (protocol: string, drone: string, port: number) =>
    `${protocol} 6 100 ESTABLISHED src=10.70.0.2 dst=${drone} sport=4000 dport=${port} src=${drone} dst=10.70.0.2 sport=${port} dport=4000 [ASSURED]\n`;
  const { run } = os;
  os.run = async (command, options) =>
    command.includes("-L")
      ? line("tcp", "10.71.0.2", 22) + line("tcp", "10.71.0.2", 5001) + line("udp", "172.31.0.2", 53)
      : run.call(os, command, options);
  expect(await forgetRevoked(os, new Set(["10.70.0.2 10.71.0.2 6001" as Pair]))).toBe(1);
  expect(os.commands).toEqual([
    "conntrack -D -p tcp --orig-src 10.70.0.2 --orig-dst 10.71.0.2 --orig-port-dst 5001",
  ]);
});
