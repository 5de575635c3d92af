import { planeNames, planes } from "../../domain/tunnel-planes";
import type { ExtraAllow } from "./extra-allow";
import type { OpenPort } from "./pairs";

/** The ipset of allowed (user, drone port, drone). */
export const PAIRS = "fleet-pairs";

/** One of our chains, the built-in chain that has to begin with a jump to it, and its rules in order. */
export interface OwnChain {
  readonly table: "filter" | "mangle";
  readonly hook: "PREROUTING" | "INPUT" | "FORWARD" | "POSTROUTING";
  readonly name: string;
  readonly rules: readonly string[];
}

export interface RuleSettings {
  /** Ports of the edge on the drone plane's hub address. */
  readonly edgePorts: readonly OpenPort[];
  readonly extraAllow: readonly ExtraAllow[];
}

const users = planes.users.interface;
const drones = planes.drones.interface;
const interfaces = planeNames.map((name) => planes[name].interface);

const toDrone = `-m set --match-set ${PAIRS} src,dst,dst`;
const fromDrone = `-m set --match-set ${PAIRS} dst,src,src -m conntrack --ctstate ESTABLISHED --ctdir REPLY`;
/** An answer to a connection that the other side opened. */
const answer = "-m conntrack --ctstate ESTABLISHED --ctdir REPLY";
/** An ICMP error about a connection that is known, which path MTU discovery needs. */
const icmpError = "-p icmp -m conntrack --ctstate RELATED";

const serviceOf = ({ service }: ExtraAllow): string =>
  service ? ` -p ${service.protocol} -m ${service.protocol} --dport ${service.port}` : "";
const answerFrom = ({ service }: ExtraAllow): string =>
  service ? ` -p ${service.protocol} -m ${service.protocol} --sport ${service.port}` : "";

/**
 * Every rule that is ours. A user's packet is allowed by the set alone, so that it stops the moment the pair
 * leaves the set; a drone's needs the set and a connection that the user opened.
 *
 * What other software accepts before our chains in the filter table meets the same set once more in mangle:
 * INPUT runs before the filter table, POSTROUTING after it. PREROUTING keeps others from using a plane's addresses.
 */
export const ownChains = (settings: RuleSettings): OwnChain[] => [
  { table: "filter", hook: "FORWARD", name: "FLEET-FORWARD", rules: forwardRules(settings) },
  { table: "filter", hook: "INPUT", name: "FLEET-INPUT", rules: inputRules(settings, "REJECT") },
  { table: "mangle", hook: "PREROUTING", name: "FLEET-PREROUTING", rules: spoofingRules() },
  { table: "mangle", hook: "INPUT", name: "FLEET-INPUT", rules: inputRules(settings, "DROP") },
  { table: "mangle", hook: "POSTROUTING", name: "FLEET-POSTROUTING", rules: backstopRules(settings) },
];

function forwardRules({ extraAllow }: RuleSettings): string[] {
  return [
    `-i ${users} -o ${drones} ${toDrone} -j ACCEPT`,
    `-i ${drones} -o ${users} ${fromDrone} -j ACCEPT`,
    ...interfaces.map((name) => `-i ${name} ${icmpError} -j ACCEPT`),
    ...interfaces.map((name) => `-o ${name} ${icmpError} -j ACCEPT`),
    ...extraAllow.flatMap((extra) =>
      "interface" in extra.from
        ? [
            `-i ${extra.from.interface} -d ${extra.destination}${serviceOf(extra)} -j ACCEPT`,
            `-s ${extra.destination} -o ${extra.from.interface}${answerFrom(extra)} ${answer} -j ACCEPT`,
          ]
        : [
            `-s ${extra.from.source} -d ${extra.destination}${serviceOf(extra)} -j ACCEPT`,
            `-s ${extra.destination} -d ${extra.from.source}${answerFrom(extra)} ${answer} -j ACCEPT`,
          ],
    ),
    ...interfaces.map((name) => `-o ${name} -j REJECT`),
    `-i ${drones} -j REJECT`,
    `-i ${users} -j REJECT`,
  ];
}

function inputRules({ edgePorts }: RuleSettings, refusal: "REJECT" | "DROP"): string[] {
  const pass = refusal === "DROP" ? "RETURN" : "ACCEPT";
  return interfaces.flatMap((name) => [
    `-i ${name} ${answer} -j ${pass}`,
    `-i ${name} ${icmpError} -j ${pass}`,
    `-i ${name} -p icmp -m icmp --icmp-type 8 -j ${pass}`,
    ...(name === drones
      ? edgePorts.map(
          ({ protocol, port }) =>
            `-d ${planes.drones.hub}/32 -i ${name} -p ${protocol} -m ${protocol} --dport ${port} -j ${pass}`,
        )
      : []),
    `-i ${name} -j ${refusal}`,
  ]);
}

/** A plane's addresses come in through the plane's interface and nowhere else. */
const spoofingRules = (): string[] => [
  "-i lo -j RETURN",
  ...planeNames.map((name) => `-s ${planes[name].network} ! -i ${planes[name].interface} -j DROP`),
];

/**
 * By address, for POSTROUTING does not know where a packet came in. The node's own packets pass, and so do those
 * that have nothing to do with a plane; a translated destination is seen as what it became.
 */
function backstopRules({ extraAllow }: RuleSettings): string[] {
  const extras = extraAllow.flatMap((extra) => {
    const source =
      "interface" in extra.from
        ? (extra.from.interface === users ? planes.users : planes.drones).network
        : extra.from.source;
    return [
      `-s ${source} -d ${extra.destination}${serviceOf(extra)} -j RETURN`,
      `-s ${extra.destination} -d ${source}${answerFrom(extra)} ${answer} -j RETURN`,
    ];
  });
  return [
    ...interfaces.map(
      (name) => `-o ${name} -p tcp -m tcp --tcp-flags SYN,RST SYN -j TCPMSS --clamp-mss-to-pmtu`,
    ),
    "-m addrtype --src-type LOCAL -j RETURN",
    `-s ${planes.users.network} -o ${drones} ${toDrone} -j RETURN`,
    `-s ${planes.drones.network} -o ${users} ${fromDrone} -j RETURN`,
    ...interfaces.map((name) => `-o ${name} ${icmpError} -j RETURN`),
    // Between the planes only the set speaks, however a connection began.
    ...planeNames.flatMap((name) => interfaces.map((to) => `-s ${planes[name].network} -o ${to} -j DROP`)),
    ...extras,
    ...planeNames.map((name) => `-s ${planes[name].network} ${answer} -j RETURN`),
    ...planeNames.map((name) => `-s ${planes[name].network} -j DROP`),
    ...interfaces.map((name) => `-o ${name} -j DROP`),
  ];
}
