import type { Os } from "./os";

const SETTING = "/proc/sys/net/ipv4/ip_forward";

/** Let the node forward packets at all; true when it did not before. Call it once the firewall stands. */
export async function forwardPackets(os: Os): Promise<boolean> {
  if ((await os.run(["cat", SETTING])).trim() === "1") return false;
  await os.run(["tee", SETTING], { input: "1\n" });
  return true;
}
