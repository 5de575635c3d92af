import { execFileSync } from "node:child_process";
import { networkInterfaces } from "node:os";
import { atEndOfFile } from "../../clean-up";

/** A network path between two processes with its own address. The kernel forwards it by DNAT. */
export interface NetworkPath {
  readonly url: string;
}

interface Laid extends NetworkPath {
  readonly address: string;
  /** `ip:port` */
  readonly to: string;
  /** Set on the connections that are made from now on. */
  mark: number;
}

/** The chains of iptables: the paths' DNAT rules, and the packets that are dropped. Test files run side by side. */
const LEAD = `fleet-paths-${process.pid}`;
const LOSE = `fleet-losses-${process.pid}`;
const SUBNET = `127.88.${process.pid % 256}`;
const FIRST_MARK = (process.pid % 1_000_000) * 1_000;

/**
 * The kernel's loopback as a network of paths. Lost packets are dropped on arrival, in both directions, without an
 * error: TCP sends them again with growing pauses. A drop in OUTPUT would give the sender an error.
 *
 * Each path is whole, loses packets until it is mended, or is replaced: new connections are whole then, and the losses
 * of those before stay.
 */
export class Network {
  private readonly paths: Laid[] = [];
  /** By the mark of the connections: the share of their packets that is lost, 1 being all. */
  private readonly losses = new Map<number, number>();
  private marks = FIRST_MARK;

  /** Requires its own network namespace, because the rules affect all of it. They are removed after the file. */
  static own(): Network {
    const others = Object.keys(networkInterfaces()).filter((name) => !/^(lo|own[01])$/.test(name));
    if (others.length > 0)
      throw new Error(
        `These tests change the firewall of the whole network namespace, which has ${others} beside loopback. ` +
          "As root, `npm test`, `npm run test:faults` and `npm run jest -- src/testing/system/faults` have one of their own.",
      );
    const network = new Network();
    network.apply();
    restore(["*nat", `-A OUTPUT -j ${LEAD}`, "COMMIT", "*filter", `-A INPUT -j ${LOSE}`, "COMMIT"]);
    atEndOfFile(async () =>
      restore([
        ...["*nat", `-D OUTPUT -j ${LEAD}`, `-F ${LEAD}`, `-X ${LEAD}`, "COMMIT"],
        ...["*filter", `-D INPUT -j ${LOSE}`, `-F ${LOSE}`, `-X ${LOSE}`, "COMMIT"],
      ]),
    );
    return network;
  }

  /** Adds a path to the listener at the URL, on loopback. */
  path(to: string): NetworkPath {
    const { hostname, port } = new URL(to);
    const address = `${SUBNET}.${this.paths.length + 1}`;
    const url = new URL(to);
    url.hostname = address;
    const path = { url: url.href, address, to: `${hostname}:${port}`, mark: ++this.marks };
    this.paths.push(path);
    this.apply();
    return path;
  }

  /** Drops this share of the packets in both directions, of old and new connections; 1 is all. */
  lose(paths: readonly NetworkPath[], share: number): void {
    for (const { mark } of this.laid(paths)) this.losses.set(mark, share);
    this.apply();
  }

  /** Drops nothing from now on; TCP sends the lost packets again. */
  mend(paths: readonly NetworkPath[]): void {
    for (const { mark } of this.laid(paths)) this.losses.delete(mark);
    this.apply();
  }

  /** New connections work; existing ones, and connection attempts, keep losing packets. */
  replace(paths: readonly NetworkPath[]): void {
    for (const path of this.laid(paths)) path.mark = ++this.marks;
    this.apply();
  }

  /** Dropped packets since the last change of a path. */
  get lost(): number {
    const rules = execFileSync("iptables", ["--wait", "-nvxL", LOSE], { encoding: "utf8" }).split("\n");
    return rules.reduce((sum, rule) => sum + (Number.parseInt(rule, 10) || 0), 0);
  }

  private laid(paths: readonly NetworkPath[]): Laid[] {
    return this.paths.filter((path) => paths.includes(path));
  }

  /** The whole of both chains, at once. `nat` sees the first packet of each connection only. */
  private apply(): void {
    const lead = this.paths.flatMap(({ address, to, mark }) => [
      `-A ${LEAD} -d ${address} -j CONNMARK --set-mark ${mark}`,
      `-A ${LEAD} -d ${address} -p tcp -j DNAT --to-destination ${to}`,
    ]);
    const lose = [...this.losses].map(([mark, share]) => {
      const some = share < 1 ? `-m statistic --mode random --probability ${share.toFixed(3)} ` : "";
      return `-A ${LOSE} -m connmark --mark ${mark} ${some}-j DROP`;
    });
    restore([
      ...["*nat", `:${LEAD} - [0:0]`, ...lead, "COMMIT"],
      ...["*filter", `:${LOSE} - [0:0]`, ...lose, "COMMIT"],
    ]);
  }
}

function restore(lines: readonly string[]): void {
  execFileSync("iptables-restore", ["--wait", "--noflush"], {
    input: `${lines.join("\n")}\n`,
    stdio: "pipe",
  });
}
