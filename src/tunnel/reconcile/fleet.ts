import { may } from "../../domain/access";
import { type Ipv4, toNumber } from "../../domain/ipv4";
import { type Member, toMember } from "../../domain/peers";
import { type PlaneName, planes } from "../../domain/tunnel-planes";

/** A row as the database gives it. Its values have the columns' types (inet, uuid, integer) and may not fit the plane. */
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

interface FleetUser extends Member {
  readonly plane: "users";
}

export interface FleetDrone extends Member {
  readonly plane: "drones";
  readonly ownerId: number;
  /** Its MAVLink TCP port; absent when the row's is invalid. */
  readonly port: number | undefined;
}

export const rowFaults = ["address_outside_plane", "duplicate_address", "port_out_of_range"] as const;

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

/** What a row says by itself. */
export interface ValidatedRow {
  readonly id: number;
  /** Undefined when the row is left out. */
  readonly member: FleetUser | FleetDrone | undefined;
  readonly faults: readonly RowFault[];
}

/** Validate one row, once when it is read. A drone whose port alone is wrong keeps its tunnel, and that port stays shut. */
export function validateRow({
  plane,
  id,
  ip: text,
  key_id: keyId,
  owner,
  port: given,
}: FleetRow): ValidatedRow {
  const fault = (fault: RowFault["fault"], value: unknown) => [{ plane, id, fault, value: String(value) }];
  const ip = text as Ipv4;
  const { first, last } = bounds[plane];
  const address = toNumber(text);
  // An address that is not IPv4 is not a number.
  const isInPlane = address >= first && address <= last;
  if (!isInPlane) return { id, member: undefined, faults: fault("address_outside_plane", text) };
  const member = toMember({ plane, rowId: id, keyId, ip });
  if (plane === "users") return { id, member: { ...member, plane }, faults: [] };
  const port = given !== null && given >= 1 && given <= 65535 ? given : undefined;
  return {
    id,
    member: { ...member, plane, ownerId: Number(owner), port },
    faults: port === undefined ? fault("port_out_of_range", given) : [],
  };
}

/**
 * Compose the fleet; undefined stands for a row that is gone. A faulty row is left out and named, the others stand. Of two
 * rows with one address the older row keeps it.
 */
export function readFleet(rows: Iterable<ValidatedRow | undefined>): Fleet {
  const byAddress = { users: new Map<string, FleetUser>(), drones: new Map<string, FleetDrone>() };
  const faults: RowFault[] = [];
  const sorted = [...rows].filter((row) => row !== undefined).sort((a, b) => a.id - b.id);
  for (const { id, member, faults: own } of sorted) {
    if (member && byAddress[member.plane].has(member.ip)) {
      faults.push({ plane: member.plane, id, fault: "duplicate_address", value: member.ip });
      continue;
    }
    faults.push(...own);
    if (member?.plane === "users") byAddress.users.set(member.ip, member);
    if (member?.plane === "drones") byAddress.drones.set(member.ip, member);
  }
  return {
    users: [...byAddress.users.values()],
    drones: [...byAddress.drones.values()],
    byAddress,
    faults,
  };
}

/** Each drone with the user whose packets may reach it, when there is one. */
export function* reachablePairs({ users, drones }: Fleet): Iterable<readonly [FleetUser, FleetDrone]> {
  const byId = new Map(users.map((user) => [user.rowId, user]));
  for (const drone of drones) {
    const user = byId.get(drone.ownerId);
    if (user && isReachable(user, drone)) yield [user, drone];
  }
}

/** Whether the user's packets may reach the drone. */
export const isReachable = ({ rowId }: FleetUser, { ownerId }: FleetDrone): boolean =>
  may(rowId, "vpn", { user_id: ownerId });

const bounds = {
  users: { first: toNumber(planes.users.range.first), last: toNumber(planes.users.range.last) },
  drones: { first: toNumber(planes.drones.range.first), last: toNumber(planes.drones.range.last) },
} as const;
