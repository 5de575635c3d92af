import { Namespace } from "./namespace";

/** What `wg-quick` does beside `wg setconf`: address, MTU and routes are its own keys. */
const quickKeys = /^(Address|DNS|MTU) = (.*)\n/gm;

/** A laptop or an onboard computer with a WireGuard client, on a network of its own behind the hub's uplink. */
export class VpnClient {
  private constructor(
    readonly name: string,
    readonly node: Namespace,
    /** Of its tunnel; undefined until it has joined. */
    private address: string | undefined,
  ) {}

  /** `index` is its place on the hub's uplink, 1 to 250. */
  static async create(name: string, hub: Namespace, hubAddress: string, index: number): Promise<VpnClient> {
    const node = await Namespace.create(name);
    const network = `198.18.${index}`;
    await node.cable(
      hub,
      { name: "eth0", ip: `${network}.2/24` },
      { name: `up${index}`, ip: `${network}.1/24` },
    );
    await node.shell(`ip route add ${hubAddress}/32 via ${network}.1
      WG_PROCESS_FOREGROUND=1 LOG_LEVEL=silent setsid wireguard-go wg0 >/dev/null 2>&1 </dev/null &
      for try in $(seq 1500); do wg show wg0 >/dev/null 2>&1 && exit 0; sleep 0.02; done; exit 1`);
    return new VpnClient(name, node, undefined);
  }

  get ip(): string {
    if (!this.address) throw new Error(`${this.name} has not joined.`);
    return this.address;
  }

  /** Bring the tunnel up with a downloaded config, in place of whatever it had. */
  async join(config: string): Promise<void> {
    const values = new Map([...config.matchAll(quickKeys)].map(([, key, value]) => [key, value]));
    const [, routes = ""] = /^AllowedIPs = (.*)$/m.exec(config) ?? [];
    const address = values.get("Address") as string;
    await this.node.shell(`wg setconf wg0 /dev/stdin <<'END'
${config.replaceAll(quickKeys, "")}
END
      ip address flush dev wg0
      ip address add ${address} dev wg0
      ip link set wg0 mtu ${values.get("MTU")} up
      ${routes
        .split(", ")
        .map((route) => `ip route replace ${route} dev wg0`)
        .join("\n")}`);
    this.address = address.replace("/32", "");
  }
}
