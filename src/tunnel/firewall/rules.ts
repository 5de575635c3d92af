import { type Chain, type PolicyRow, type PolicySettings, policy } from "./policy";

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
  filter: { allow: "ACCEPT", refuse: "REJECT", reset: "REJECT --reject-with tcp-reset", "clamp MSS": "" },
  // A RETURN leaves the packet to the rules of other software. The kernel resets by itself what filter would.
  mangle: { allow: "RETURN", refuse: "DROP", reset: "RETURN", "clamp MSS": "TCPMSS --clamp-mss-to-pmtu" },
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
  const [source, inInterface] = renderEndpoint(from, "-s", "-i");
  const [destination, outInterface] = renderEndpoint(to, "-d", "-o");
  const parts = [source, destination, inInterface, outInterface, packets, state];
  return [...parts, `-j ${verdicts[table][verdict]}`].filter(Boolean).join(" ");
}

/** Address and interface. */
function renderEndpoint(endpoint: string, address: string, device: string): string[] {
  const parts = ["", ""];
  for (const part of endpoint.split(" ").filter(Boolean)) {
    if (/^\d/.test(part)) parts[0] = `${address} ${part}`;
    else parts[1] = part.startsWith("!") ? `! ${device} ${part.slice(1)}` : `${device} ${part}`;
  }
  return parts;
}
