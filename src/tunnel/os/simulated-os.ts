import { isPrivateKey } from "../../domain/wireguard";
import { publicKeyOf } from "../wireguard/keys";
import { CommandError, type Os, type RunOptions } from "./os";
import { SimulatedTables } from "./simulated-tables";

interface SimulatedLink {
  mtu: number;
  up: boolean;
  addresses: string[];
  publicKey: string;
  port: number;
  /** Allowed IPs by public key. */
  readonly peers: Map<string, string[]>;
}

const READ_ONLY =
  /^(ip -json|wg show|ipset (save|list)|iptables\S*-save|iptables --version|conntrack -L|cat )/;

/**
 * A simulated machine: it keeps the state that the commands would make, and prints each command that would
 * change something as a shell would run it. The data plane of `dry-run`, and the machine of unit tests.
 */
export class SimulatedOs implements Os {
  readonly links = new Map<string, SimulatedLink>();
  readonly sets = new Map<string, Set<string>>();
  readonly nft = new SimulatedTables();
  readonly legacy = new SimulatedTables();
  /** The commands that changed something, in order. */
  readonly commands: string[] = [];
  routes: { dst: string; dev: string }[] = [];
  forwarding = false;
  /** A test's fault: throw to fail the command. */
  fault: (command: string) => void = () => {};

  constructor(private readonly print: (command: string) => void = () => {}) {}

  async run(command: readonly string[], { input = "", secret }: RunOptions = {}): Promise<string> {
    const text = command.join(" ");
    this.fault(text);
    if (!READ_ONLY.test(text)) this.note(text, secret ? "(secret)\n" : input);
    const [program = "", ...args] = command;
    if (program === "ip") return this.ip(args, command);
    if (program === "wg") return this.wg(args, input, command);
    if (program === "ipset") return this.ipset(args, input);
    if (program === "cat") return this.forwarding ? "1\n" : "0\n";
    if (program === "setsid") this.addLink(command.at(-1) as string);
    if (program === "tee") this.forwarding = input.trim() === "1";
    if (text === "iptables --version") return "iptables v1.8.9 (nf_tables)\n";
    const [, backend, verb] = /^iptables-(nft|legacy)-(save|restore)$/.exec(program) ?? [];
    if (!backend) return "";
    const tables = backend === "nft" ? this.nft : this.legacy;
    if (verb === "restore") tables.restore(input);
    return tables.save(args[1]);
  }

  private note(command: string, input: string): void {
    const lines = input.split("\n").filter(Boolean);
    const here = lines.length === 0 ? "" : ` <<'END'\n${lines.join("\n")}\nEND`;
    this.commands.push(`${command}${here}`);
    this.print(`${command}${here}`);
  }

  private addLink(name: string): void {
    this.links.set(name, {
      mtu: 1420,
      up: false,
      addresses: [],
      publicKey: "(none)",
      port: 0,
      peers: new Map(),
    });
  }

  private ip(args: readonly string[], command: readonly string[]): string {
    const name = args[args.indexOf("dev") + 1] as string;
    if (args.includes("route")) return JSON.stringify(this.routes);
    if (args[0] === "link" && args[1] === "add") {
      this.addLink(args[2] as string);
      return "";
    }
    const named = args[0] === "link" ? (args[2] as string) : name;
    const link = this.links.get(named);
    if (!link) throw new CommandError(command, 1, `Device "${named}" does not exist.`);
    if (args[0] === "-json") {
      const addr_info = link.addresses.map((address) => {
        const [local, prefixlen] = address.split("/");
        return { local, prefixlen: Number(prefixlen) };
      });
      return JSON.stringify([{ mtu: link.mtu, flags: link.up ? ["UP"] : [], addr_info }]);
    }
    if (args[0] === "address") link.addresses.push(args[2] as string);
    else if (args[1] === "delete") this.links.delete(named);
    else {
      if (args.includes("mtu")) link.mtu = Number(args[args.indexOf("mtu") + 1]);
      link.up = args.includes("up");
    }
    return "";
  }

  private wg([verb, name, ...args]: string[], input: string, command: readonly string[]): string {
    const link = this.links.get(name as string);
    if (!link) throw new CommandError(command, 1, "Unable to access interface: No such device");
    if (verb === "show") {
      const peers = [...link.peers].map(
        ([key, ips]) => `${key}\t(none)\t(none)\t${ips.join(",") || "(none)"}\t0\t0\t0\toff\n`,
      );
      return `(kept back)\t${link.publicKey}\t${link.port}\toff\n${peers.join("")}`;
    }
    if (args[0] === "listen-port") {
      const key = input.trim();
      if (!isPrivateKey(key)) throw new CommandError(command, 1, "(kept back)");
      link.port = Number(args[1]);
      link.publicKey = publicKeyOf(key);
    }
    for (let at = args.indexOf("peer"); at >= 0; at = args.indexOf("peer", at + 1)) {
      const next = args.indexOf("peer", at + 1);
      const [key = "", ...settings] = args.slice(at + 1, next < 0 ? undefined : next);
      if (settings[0] === "remove") {
        link.peers.delete(key);
        continue;
      }
      if (!settings.includes("allowed-ips")) continue;
      const ip = settings[settings.indexOf("allowed-ips") + 1] as string;
      // As in WireGuard, an address belongs to the peer that got it last.
      for (const [other, ips] of link.peers) link.peers.set(other, without(ips, ip));
      link.peers.set(key, [ip]);
    }
    return "";
  }

  private ipset([verb, name, of = ""]: string[], input: string): string {
    if (name === "-terse") return `Name: ${of}\nNumber of entries: ${this.sets.get(of)?.size ?? 0}\n`;
    if (verb === "list") return [...this.sets.keys()].join("\n");
    if (verb === "destroy") this.sets.delete(name as string);
    if (verb === "save") {
      return [...(this.sets.get(name as string) ?? [])].map((element) => `add ${name} ${element}\n`).join("");
    }
    for (const line of input.split("\n")) {
      const [action, set = "", element = ""] = line.split(" ");
      if (action === "create" && !this.sets.has(set)) this.sets.set(set, new Set());
      if (action === "add") this.sets.get(set)?.add(element);
      if (action === "del") this.sets.get(set)?.delete(element);
    }
    return "";
  }
}

const without = (items: readonly string[], item: string): string[] => items.filter((other) => other !== item);
