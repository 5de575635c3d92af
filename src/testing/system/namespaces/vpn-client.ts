import { realOs } from "../../../tunnel/os/os";
import { Namespace } from "./namespace";

/** What `wg-quick` does beside `wg setconf`: address, MTU and routes are its own keys. */
const quickKeys = /^(Address|DNS|MTU) = (.*)\n/gm;

/** Starts wireguard-go in the background where the script runs. It looks its interface up before it answers `wg`. */
const userspace = (link: string) => `LOG_LEVEL=silent setsid wireguard-go ${link}
wg show ${link} >/dev/null`;

let count = 0;

/** A laptop or an onboard computer with a WireGuard client, on a network of its own. */
export class VpnClient {
  private constructor(
    readonly name: string,
    readonly node: Namespace,
    private readonly link: string,
    /** Of its tunnel; undefined until it has joined. */
    private address: string | undefined,
  ) {}

  /** Behind the uplink of a hub that is a namespace too. `index` is its place there, 1 to 250. */
  static async create(name: string, hub: Namespace, hubAddress: string, index: number): Promise<VpnClient> {
    const node = await Namespace.create(name);
    const network = `198.18.${index}`;
    await node.link(
      hub,
      { name: "eth0", ip: `${network}.2/24` },
      { name: `up${index}`, ip: `${network}.1/24` },
    );
    await node.shell(`ip route add ${hubAddress}/32 via ${network}.1
      ${userspace("wg0")}`);
    return new VpnClient(name, node, "wg0", undefined);
  }

  /** A client whose outer packets leave from this machine; its interface is in a namespace. */
  static async onThisMachine(name: string): Promise<VpnClient> {
    const node = await Namespace.create(name);
    const link = `ft${process.pid}x${++count}`;
    await realOs.run([...node.prefix.filter((word) => word !== "--net"), "sh", "-e"], {
      input: userspace(link),
    });
    const [, , pid = ""] = node.prefix;
    await realOs.run(["ip", "link", "set", link, "netns", pid]);
    return new VpnClient(name, node, link, undefined);
  }

  get ip(): string {
    if (!this.address) throw new Error(`${this.name} has not joined.`);
    return this.address;
  }

  /** `ip:port` from which its tunnel speaks. */
  async endpoint(): Promise<string> {
    const shown = await this.node.shell("ip -4 -o address show dev eth0; wg show wg0 listen-port");
    const [, ip, port] = /inet ([\d.]+)\/[\s\S]*\n(\d+)\n$/.exec(shown) ?? [];
    return `${ip}:${port}`;
  }

  /** Bring the tunnel up with a downloaded config, in place of whatever it had. */
  async join(config: string): Promise<void> {
    const values = new Map([...config.matchAll(quickKeys)].map(([, key, value]) => [key, value]));
    const [, routes = ""] = /^AllowedIPs = (.*)$/m.exec(config) ?? [];
    const address = values.get("Address") as string;
    await this.node.shell(`wg setconf ${this.link} /dev/stdin <<'END'
${config.replaceAll(quickKeys, "")}
END
      ip address flush dev ${this.link}
      ip address add ${address} dev ${this.link}
      ip link set ${this.link} mtu ${values.get("MTU")} up
      ${routes
        .split(", ")
        .map((route) => `ip route replace ${route} dev ${this.link}`)
        .join("\n")}`);
    this.address = address.replace("/32", "");
  }
}
