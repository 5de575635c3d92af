import { may } from "../../domain/access";
import { type Ipv4, toNumber } from "../../domain/ipv4";
import type { Member } from "../../domain/peers";
import { type PlaneName, planes } from "../../domain/tunnel-planes";

/** A row as the database gives it; nothing of it is believed yet. */
export interface FleetRow {
  readonly plane: PlaneName;
  readonly id: number;
  readonly ip: string;
  readonly key_id: string;
  /** drones.user_id */
  readonly owner: number | null;
  /** drones.port */
  readonly port: number | null;
}

export interface FleetUser extends Member {
  readonly plane: "users";
}

export interface FleetDrone extends Member {
  readonly plane: "drones";
  readonly ownerId: number;
  /** Its MAVLink TCP port; absent when the row's is none. */
  readonly port: number | undefined;
}

export const rowFaults = [
  "address_outside_plane",
  "duplicate_address",
  "port_out_of_range",
  "malformed_key_id",
] as const;

/** What is wrong with a row, for the log and the metrics. */
export interface RowFault {
  readonly plane: PlaneName;
  readonly id: number;
  readonly fault: (typeof rowFaults)[number];
  readonly value: string;
}

/** Everyone who should have a tunnel, and what was wrong with the rest. */
export interface Fleet {
  readonly users: readonly FleetUser[];
  readonly drones: readonly FleetDrone[];
  readonly byAddress: {
    readonly users: ReadonlyMap<string, FleetUser>;
    readonly drones: ReadonlyMap<string, FleetDrone>;
  };
  readonly faults: readonly RowFault[];
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a row says by itself. */
export interface JudgedRow {
  readonly id: number;
  /** Undefined when the row is left out. */
  readonly member: FleetUser | FleetDrone | undefined;
  readonly faults: readonly RowFault[];
}

/**
 * Compose the fleet. A faulty row is left out and named, the others stand. Of two rows with one address the older row
 * keeps it.
 */
export function readFleet(rows: readonly JudgedRow[]): Fleet {
  const byAddress = { users: new Map<string, FleetUser>(), drones: new Map<string, FleetDrone>() };
  const faults: RowFault[] = [];
  for (const { id, member, faults: own } of rows.toSorted((a, b) => a.id - b.id)) {
    if (member && byAddress[member.plane].has(member.ip)) {
      faults.push({ plane: member.plane, id, fault: "duplicate_address", value: member.ip });
      continue;
    }
    faults.push(...own);
    if (member?.plane === "users") byAddress.users.set(member.ip, member);
    if (member?.plane === "drones") byAddress.drones.set(member.ip, member);
  }
  const [users, drones] = [[...byAddress.users.values()], [...byAddress.drones.values()]];
  return { users, drones, byAddress, faults };
}

/** Judge one row. A drone whose port alone is wrong keeps its tunnel, and that port stays shut. */
export function judge({ plane, id, ip: text, key_id: keyId, owner, port: given }: FleetRow): JudgedRow {
  const fault = (fault: RowFault["fault"], value: unknown) => [{ plane, id, fault, value: String(value) }];
  const ip = addressIn(plane, text);
  if (!ip) return { id, member: undefined, faults: fault("address_outside_plane", text) };
  if (!uuid.test(keyId)) return { id, member: undefined, faults: fault("malformed_key_id", keyId) };
  if (plane === "users") return { id, member: { plane, rowId: id, keyId, ip }, faults: [] };
  const port = isPort(given) ? given : undefined;
  return {
    id,
    member: { plane, rowId: id, keyId, ip, ownerId: Number(owner), port },
    faults: port === undefined ? fault("port_out_of_range", given) : [],
  };
}

/** Each drone with the user whose packets may reach it, when there is one. */
export function* reachablePairs({ users, drones }: Fleet): Iterable<readonly [FleetUser, FleetDrone]> {
  const byId = new Map(users.map((user) => [user.rowId, user]));
  for (const drone of drones) {
    const user = byId.get(drone.ownerId);
    if (user && may(user.rowId, "vpn", { user_id: drone.ownerId })) yield [user, drone];
  }
}

const bounds = {
  users: [toNumber(planes.users.range.first), toNumber(planes.users.range.last)],
  drones: [toNumber(planes.drones.range.first), toNumber(planes.drones.range.last)],
} as const;
const dotted = /^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/;

/** Without a schema: each survey judges every row of a large fleet. */
function addressIn(plane: PlaneName, text: string): Ipv4 | undefined {
  if (!dotted.test(text)) return undefined;
  const [first, last] = bounds[plane];
  const value = toNumber(text);
  // 300 is not an octet.
  const isWhole = text.split(".").every((octet) => Number(octet) <= 255);
  return isWhole && value >= first && value <= last ? (text as Ipv4) : undefined;
}

const isPort = (port: number | null): port is number =>
  port !== null && Number.isInteger(port) && port >= 1 && port <= 65535;
