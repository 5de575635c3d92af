import { planes } from "../../domain/tunnel-planes";
import type { ExtraAllow } from "./extra-allow";
import type { OpenPort } from "./pairs";

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
/** An interface, `!` and an interface (any but this one), a CIDR, several of these, or `*`. `node`: its own addresses. */
export type Endpoint = string;
/** `pair`: user, port and drone are in the set. `pair back`: the same with source and destination exchanged. */
export type Packets = "*" | "pair" | "pair back" | "icmp" | "ping" | "tcp syn" | `${"to" | "from"} ${string}`;
/** `reply`: of a connection that the other side opened. `related`: an ICMP error about a known connection. */
export type State = "*" | "reply" | "related";
export type Verdict = "allow" | "refuse" | "clamp MSS";

export type PolicyRow = readonly [
  chain: Chain,
  from: Endpoint,
  to: Endpoint,
  packets: Packets,
  state: State,
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

/**
 * Every rule of the firewall, in order: the first row that matches a packet decides. Packets that no row matches are
 * not ours.
 */
// biome-ignore format: a table
export const policy = ({ edgePorts, extraAllow }: PolicySettings): PolicyRow[] => [
  // chain        from                      to        packets      state      verdict      reason
  ["FORWARD",     users0,                   drones0,  "pair",      "*",       "allow",     "a user reaches its own drones, and no longer once the pair has left the set"],
  ["FORWARD",     drones0,                  users0,   "pair back", "reply",   "allow",     "a drone answers its user, and opens no connection itself"],
  ["FORWARD",     users0,                   "*",      "icmp",      "related", "allow",     "path MTU discovery needs ICMP errors"],
  ["FORWARD",     drones0,                  "*",      "icmp",      "related", "allow",     "path MTU discovery"],
  ["FORWARD",     "*",                      users0,   "icmp",      "related", "allow",     "path MTU discovery"],
  ["FORWARD",     "*",                      drones0,  "icmp",      "related", "allow",     "path MTU discovery"],
  ...extraAllow.flatMap((extra) => opened("FORWARD", extra, "interface")),
  ["FORWARD",     "*",                      users0,   "*",         "*",       "refuse",    "nobody else opens connections into the user plane"],
  ["FORWARD",     "*",                      drones0,  "*",         "*",       "refuse",    "nobody else opens connections into the drone plane"],
  ["FORWARD",     drones0,                  "*",      "*",         "*",       "refuse",    "drones reach neither drones nor users nor other networks"],
  ["FORWARD",     users0,                   "*",      "*",         "*",       "refuse",    "users reach nothing but their own drones"],

  ["INPUT",       users0,                   "*",      "*",         "reply",   "allow",     "answers to connections of this node"],
  ["INPUT",       users0,                   "*",      "icmp",      "related", "allow",     "path MTU discovery"],
  ["INPUT",       users0,                   "*",      "ping",      "*",       "allow",     "clients test their tunnel by it"],
  ["INPUT",       users0,                   "*",      "*",         "*",       "refuse",    "the node itself is closed to users"],
  ["INPUT",       drones0,                  "*",      "*",         "reply",   "allow",     "answers to the jumphost"],
  ["INPUT",       drones0,                  "*",      "icmp",      "related", "allow",     "path MTU discovery"],
  ["INPUT",       drones0,                  "*",      "ping",      "*",       "allow",     "drones test their tunnel by it"],
  ...edgePorts.map((port): PolicyRow =>
  ["INPUT",       drones0,                  hub,      toPort(port), "*",      "allow",     "drones reach the edge"]),
  ["INPUT",       drones0,                  "*",      "*",         "*",       "refuse",    "the node itself is closed to drones"],

  ["PREROUTING",  "lo",                     "*",      "*",         "*",       "allow",     "the node speaks to itself from its plane addresses"],
  ["PREROUTING",  `${usersNet} !${users0}`, "*",      "*",         "*",       "refuse",    "only the tunnel brings packets from a user's address"],
  ["PREROUTING",  `${dronesNet} !${drones0}`, "*",    "*",         "*",       "refuse",    "only the tunnel brings packets from a drone's address"],

  // POSTROUTING decides once more, by address, about packets that other software accepted in the filter table.
  ["POSTROUTING", "*",                      users0,   "tcp syn",   "*",       "clamp MSS", "the plane's MTU is smaller than the network's"],
  ["POSTROUTING", "*",                      drones0,  "tcp syn",   "*",       "clamp MSS", "the plane's MTU is smaller than the network's"],
  ["POSTROUTING", "node",                   "*",      "*",         "*",       "allow",     "the node's own packets: jumphost, edge, ping"],
  ["POSTROUTING", usersNet,                 drones0,  "pair",      "*",       "allow",     "as in FORWARD"],
  ["POSTROUTING", dronesNet,                users0,   "pair back", "reply",   "allow",     "as in FORWARD"],
  ["POSTROUTING", "*",                      users0,   "icmp",      "related", "allow",     "path MTU discovery"],
  ["POSTROUTING", "*",                      drones0,  "icmp",      "related", "allow",     "path MTU discovery"],
  ["POSTROUTING", usersNet,                 users0,   "*",         "*",       "refuse",    "between the planes the set alone decides, whatever opened the connection"],
  ["POSTROUTING", usersNet,                 drones0,  "*",         "*",       "refuse",    "between the planes the set alone decides"],
  ["POSTROUTING", dronesNet,                users0,   "*",         "*",       "refuse",    "between the planes the set alone decides"],
  ["POSTROUTING", dronesNet,                drones0,  "*",         "*",       "refuse",    "between the planes the set alone decides"],
  ...extraAllow.flatMap((extra) => opened("POSTROUTING", extra, "network")),
  ["POSTROUTING", usersNet,                 "*",      "*",         "reply",   "allow",     "an answer opens no connection"],
  ["POSTROUTING", dronesNet,                "*",      "*",         "reply",   "allow",     "an answer opens no connection"],
  ["POSTROUTING", usersNet,                 "*",      "*",         "*",       "refuse",    "users reach nothing else"],
  ["POSTROUTING", dronesNet,                "*",      "*",         "*",       "refuse",    "drones reach nothing else"],
  ["POSTROUTING", "*",                      users0,   "*",         "*",       "refuse",    "nobody else opens connections into the user plane"],
  ["POSTROUTING", "*",                      drones0,  "*",         "*",       "refuse",    "nobody else opens connections into the drone plane"],
];

/** One entry of FIREWALL_EXTRA_ALLOW and the way back; POSTROUTING knows a plane by its network alone. */
function opened(
  chain: Chain,
  { from, destination, service }: ExtraAllow,
  by: "interface" | "network",
): PolicyRow[] {
  const plane = "plane" in from ? planes[from.plane] : undefined;
  const source = plane ? plane[by] : (from as { source: string }).source;
  const to: Packets = service ? toPort(service) : "*";
  const back: Packets = service ? fromPort(service) : "*";
  return [
    [chain, source, destination, to, "*", "allow", "the operator opened it"],
    [chain, destination, source, back, "reply", "allow", "answers to that"],
  ];
}

const toPort = ({ protocol, port }: OpenPort): Packets => `to ${protocol}/${port}`;
const fromPort = ({ protocol, port }: OpenPort): Packets => `from ${protocol}/${port}`;
