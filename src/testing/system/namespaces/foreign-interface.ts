import type { Namespace } from "./namespace";

/**
 * Makes `wg0`, a WireGuard interface with a peer that is not the tunnel's. Resolves with a function that prints its
 * index, address, public keys and peers, so that a test finds every change.
 */
export async function foreignInterface(hub: Namespace): Promise<() => Promise<string>> {
  await hub.shell(`LOG_LEVEL=silent setsid wireguard-go wg0
    wg genkey | wg set wg0 listen-port 51822 private-key /dev/stdin
    wg set wg0 peer $(wg genkey | wg pubkey) allowed-ips 10.69.0.7/32
    ip address add 10.69.0.1/16 dev wg0
    ip link set wg0 up`);
  const footprint = () =>
    hub.shell(`ip -o link show wg0
      ip -o -4 address show wg0
      wg show wg0 public-key
      wg show wg0 listen-port
      wg show wg0 allowed-ips`);
  if (!(await footprint()).includes("10.69.0.7/32")) throw new Error("wg0 was not made.");
  return footprint;
}
