import { planes } from "../../domain/tunnel-planes";
import type { ExtraAllow } from "./extra-allow";
import type { OpenPort } from "./open-port";

/** The ipset of allowed (user, drone port, drone). */
export const PAIRS = "fleet-pairs";

/** Video, telemetry and shell of every drone: a user's pair with a drone opens these and the drone's MAVLink port. */
export const dronePorts: readonly OpenPort[] = [
  { protocol: "tcp", port: 8554 },
  { protocol: "udp", port: 8554 },
  { protocol: "udp", port: 14900 },
  { protocol: "tcp", port: 22 },
];

/** `INPUT` is rendered in two tables: filter answers with a REJECT, mangle runs even when filter was bypassed. */
export type Chain = "FORWARD" | "INPUT" | "PREROUTING" | "POSTROUTING";
type Verdict = "allow" | "refuse" | "reset" | "clamp MSS";

/** Endpoints are interfaces, `!` and an interface (any but this one), CIDRs, several of these, or `any`. */
export type PolicyRow = readonly [
  chain: Chain,
  from: string,
  to: string,
  packets: string,
  state: string,
  verdict: Verdict,
  reason: string,
];

export interface PolicySettings {
  /** Ports of the edge on the drone plane's hub address. */
  readonly edgePorts: readonly OpenPort[];
  readonly extraAllow: readonly ExtraAllow[];
}

const [users0, drones0] = [planes.users.interface, planes.drones.interface];
const [usersNet, dronesNet] = [planes.users.network, planes.drones.network];
const hub = `${planes.drones.hub}/32`;
const any = "";

/** User, port and drone are in the set; `pairBack`: with source and destination exchanged. */
const pair = `-m set --match-set ${PAIRS} src,dst,dst`;
const pairBack = `-m set --match-set ${PAIRS} dst,src,src`;
const fromNode = "-m addrtype --src-type LOCAL";
const icmp = "-p icmp";
const ping = "-p icmp -m icmp --icmp-type 8";
const tcpNotSyn = "-p tcp -m tcp ! --tcp-flags FIN,SYN,RST,ACK SYN";
const tcpSyn = "-p tcp -m tcp --tcp-flags SYN,RST SYN";
const toPort = ({ protocol, port }: OpenPort): string => `-p ${protocol} -m ${protocol} --dport ${port}`;
const fromPort = ({ protocol, port }: OpenPort): string => `-p ${protocol} -m ${protocol} --sport ${port}`;

/** Of a connection that the other side opened. */
const reply = "-m conntrack --ctstate ESTABLISHED --ctdir REPLY";
/** An ICMP error about a known connection. */
const related = "-m conntrack --ctstate RELATED";

/**
 * Every rule of the firewall, in order: the first row that matches a packet decides. Packets that no row matches are
 * not ours.
 */
// biome-ignore format: a table
export const policy = ({ edgePorts, extraAllow }: PolicySettings): PolicyRow[] => [
  // chain        from                      to        packets      state      verdict      reason
  ["FORWARD",     users0,                   drones0,  pair,        any,       "allow",     "a user reaches its own drones, and no longer once the pair has left the set"],
  ["FORWARD",     drones0,                  users0,   pairBack,    reply,     "allow",     "a drone answers its user, and opens no connection itself"],
  ["FORWARD",     users0,                   any,      icmp,        related,   "allow",     "path MTU discovery needs ICMP errors"],
  ["FORWARD",     drones0,                  any,      icmp,        related,   "allow",     "path MTU discovery"],
  ["FORWARD",     any,                      users0,   icmp,        related,   "allow",     "path MTU discovery"],
  ["FORWARD",     any,                      drones0,  icmp,        related,   "allow",     "path MTU discovery"],
  ...extraAllow.flatMap((extra) => opened("FORWARD", extra, "interface")),
  ["FORWARD",     any,                      users0,   any,         any,       "refuse",    "only the rows above open connections into the user plane"],
  ["FORWARD",     any,                      drones0,  any,         any,       "refuse",    "only the rows above open connections into the drone plane"],
  ["FORWARD",     drones0,                  any,      any,         any,       "refuse",    "drones reach neither drones nor users nor other networks"],
  ["FORWARD",     users0,                   any,      any,         any,       "refuse",    "users reach nothing but their own drones"],

  ["INPUT",       users0,                   any,      any,         reply,     "allow",     "answers to connections of this node"],
  ["INPUT",       users0,                   any,      icmp,        related,   "allow",     "path MTU discovery"],
  ["INPUT",       users0,                   any,      ping,        any,       "allow",     "clients test their tunnel by it"],
  ["INPUT",       users0,                   any,      any,         any,       "refuse",    "the node itself is closed to users"],
  ["INPUT",       drones0,                  any,      any,         reply,     "allow",     "answers to the jumphost"],
  ["INPUT",       drones0,                  any,      icmp,        related,   "allow",     "path MTU discovery"],
  ["INPUT",       drones0,                  any,      ping,        any,       "allow",     "drones test their tunnel by it"],
  ...edgePorts.map((port): PolicyRow =>
  ["INPUT",       drones0,                  hub,      toPort(port), any,      "allow",     "drones reach the edge"]),
  ["INPUT",       drones0,                  any,      tcpNotSyn,   any,       "reset",     "of a connection with a hub that was lost: a vehicle that serves one client waits for it"],
  ["INPUT",       drones0,                  any,      any,         any,       "refuse",    "the node itself is closed to drones"],

  ["PREROUTING",  "lo",                     any,      any,         any,       "allow",     "the node speaks to itself from its plane addresses"],
  ["PREROUTING",  `${usersNet} !${users0}`, any,      any,         any,       "refuse",    "only the tunnel brings packets from a user's address"],
  ["PREROUTING",  `${dronesNet} !${drones0}`, any,    any,         any,       "refuse",    "only the tunnel brings packets from a drone's address"],

  // POSTROUTING decides once more, by address, about packets that other software accepted in the filter table.
  ["POSTROUTING", any,                      users0,   tcpSyn,      any,       "clamp MSS", "the plane's MTU is smaller than the network's"],
  ["POSTROUTING", any,                      drones0,  tcpSyn,      any,       "clamp MSS", "the plane's MTU is smaller than the network's"],
  ["POSTROUTING", any,                      any,      fromNode,    any,       "allow",     "the node's own packets: jumphost, edge, ping"],
  ["POSTROUTING", usersNet,                 drones0,  pair,        any,       "allow",     "as in FORWARD"],
  ["POSTROUTING", dronesNet,                users0,   pairBack,    reply,     "allow",     "as in FORWARD"],
  ["POSTROUTING", any,                      users0,   icmp,        related,   "allow",     "path MTU discovery"],
  ["POSTROUTING", any,                      drones0,  icmp,        related,   "allow",     "path MTU discovery"],
  ["POSTROUTING", usersNet,                 users0,   any,         any,       "refuse",    "between the planes only the set decides, also for connections that other software accepted"],
  ["POSTROUTING", usersNet,                 drones0,  any,         any,       "refuse",    "between the planes only the set decides"],
  ["POSTROUTING", dronesNet,                users0,   any,         any,       "refuse",    "between the planes only the set decides"],
  ["POSTROUTING", dronesNet,                drones0,  any,         any,       "refuse",    "between the planes only the set decides"],
  ...extraAllow.flatMap((extra) => opened("POSTROUTING", extra, "network")),
  ["POSTROUTING", usersNet,                 any,      any,         reply,     "allow",     "an answer opens no connection"],
  ["POSTROUTING", dronesNet,                any,      any,         reply,     "allow",     "an answer opens no connection"],
  ["POSTROUTING", usersNet,                 any,      any,         any,       "refuse",    "users reach nothing else"],
  ["POSTROUTING", dronesNet,                any,      any,         any,       "refuse",    "drones reach nothing else"],
  ["POSTROUTING", any,                      users0,   any,         any,       "refuse",    "only the rows above open connections into the user plane"],
  ["POSTROUTING", any,                      drones0,  any,         any,       "refuse",    "only the rows above open connections into the drone plane"],
];

/** One entry of FIREWALL_EXTRA_ALLOW and the way back; POSTROUTING knows a plane by its network alone. */
function opened(
  chain: Chain,
  { from, destination, service }: ExtraAllow,
  by: "interface" | "network",
): PolicyRow[] {
  const plane = "plane" in from ? planes[from.plane] : undefined;
  const source = plane ? plane[by] : (from as { source: string }).source;
  const [to, back] = service ? [toPort(service), fromPort(service)] : [any, any];
  return [
    [chain, source, destination, to, any, "allow", "the operator opened it"],
    [chain, destination, source, back, reply, "allow", "answers to that"],
  ];
}
