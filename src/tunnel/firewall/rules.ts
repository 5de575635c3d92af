import { type Chain, type Endpoint, PAIRS, type PolicyRow, type PolicySettings, policy } from "./policy";

/** One of our chains, the built-in chain that has to begin with a jump to it, and its rules in order. */
export interface OwnChain {
  readonly table: "filter" | "mangle";
  readonly hook: Chain;
  readonly name: string;
  readonly rules: readonly string[];
}

const chains = [
  ["filter", "FORWARD"],
  ["filter", "INPUT"],
  ["mangle", "PREROUTING"],
  ["mangle", "INPUT"],
  ["mangle", "POSTROUTING"],
] as const;

const verdicts = {
  filter: { allow: "ACCEPT", refuse: "REJECT", "clamp MSS": "" },
  // A RETURN leaves the packet to the rules of other software.
  mangle: { allow: "RETURN", refuse: "DROP", "clamp MSS": "TCPMSS --clamp-mss-to-pmtu" },
};

const states = {
  "*": "",
  reply: "-m conntrack --ctstate ESTABLISHED --ctdir REPLY",
  related: "-m conntrack --ctstate RELATED",
};

/** The policy as rules of iptables, in the order in which `iptables-save` prints a rule's parts. */
export const ownChains = (settings: PolicySettings): OwnChain[] => {
  const rows = policy(settings);
  return chains.map(([table, hook]) => ({
    table,
    hook,
    name: `FLEET-${hook}`,
    rules: rows.filter(([chain]) => chain === hook).map((row) => renderRule(table, row)),
  }));
};

function renderRule(table: OwnChain["table"], [, from, to, packets, state, verdict]: PolicyRow): string {
  const [source, inInterface, local] = renderEndpoint(from, "-s", "-i");
  const [destination, outInterface] = renderEndpoint(to, "-d", "-o");
  const parts = [
    source,
    destination,
    inInterface,
    outInterface,
    local,
    renderPackets(packets),
    states[state],
  ];
  return [...parts, `-j ${verdicts[table][verdict]}`].filter(Boolean).join(" ");
}

/** Address, interface and address type. */
function renderEndpoint(endpoint: Endpoint, address: string, device: string): string[] {
  const parts = ["", "", ""];
  for (const part of endpoint.split(" ")) {
    if (part === "*") continue;
    if (part === "node") parts[2] = "-m addrtype --src-type LOCAL";
    else if (part.startsWith("!")) parts[1] = `! ${device} ${part.slice(1)}`;
    else if (/^\d/.test(part)) parts[0] = `${address} ${part}`;
    else parts[1] = `${device} ${part}`;
  }
  return parts;
}

function renderPackets(packets: PolicyRow[3]): string {
  if (packets === "*") return "";
  if (packets === "pair") return `-m set --match-set ${PAIRS} src,dst,dst`;
  if (packets === "pair back") return `-m set --match-set ${PAIRS} dst,src,src`;
  if (packets === "icmp") return "-p icmp";
  if (packets === "ping") return "-p icmp -m icmp --icmp-type 8";
  if (packets === "tcp syn") return "-p tcp -m tcp --tcp-flags SYN,RST SYN";
  const [, side, protocol, port] = /^(to|from) (\w+)\/(\d+)$/.exec(packets) ?? [];
  return `-p ${protocol} -m ${protocol} --${side === "to" ? "dport" : "sport"} ${port}`;
}
