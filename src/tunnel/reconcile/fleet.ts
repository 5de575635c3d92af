import { may } from "../../domain/access";
import { type Ipv4, toNumber } from "../../domain/ipv4";
import type { Member } from "../../domain/peers";
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

export interface FleetUser extends Member {
  readonly plane: "users";
}

export interface FleetDrone extends Member {
  readonly plane: "drones";
  readonly ownerId: number;
  /** Its MAVLink TCP port; absent when the row's is none. */
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

/**
 * Compose the fleet; undefined stands for a row that is gone. A faulty row is left out and named, the others stand. A drone whose port alone is wrong keeps its
 * tunnel, and that port stays shut. Of two rows with one address the older row keeps it.
 */
export function readFleet(rows: Iterable<FleetRow | undefined>): Fleet {
  const byAddress = { users: new Map<string, FleetUser>(), drones: new Map<string, FleetDrone>() };
  const faults: RowFault[] = [];
  const sorted = [...rows].filter((row) => row !== undefined).sort((a, b) => a.id - b.id);
  for (const { plane, id, ip: text, key_id: keyId, owner, port } of sorted) {
    const fault = (fault: RowFault["fault"], value: unknown) =>
      faults.push({ plane, id, fault, value: String(value) });
    const { first, last } = bounds[plane];
    const address = toNumber(text);
    const isInPlane = address >= first && address <= last;
    const isDuplicate = byAddress[plane].has(text);
    if (!isInPlane || isDuplicate) {
      fault(isInPlane ? "duplicate_address" : "address_outside_plane", text);
      continue;
    }
    const member = { rowId: id, keyId, ip: text as Ipv4 };
    if (plane === "users") {
      byAddress.users.set(text, { plane, ...member });
      continue;
    }
    const isPort = port !== null && port >= 1 && port <= 65535;
    if (!isPort) fault("port_out_of_range", port);
    byAddress.drones.set(text, { plane, ...member, ownerId: Number(owner), port: isPort ? port : undefined });
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
    if (user && may(user.rowId, "vpn", { user_id: drone.ownerId })) yield [user, drone];
  }
}

const bounds = {
  users: { first: toNumber(planes.users.range.first), last: toNumber(planes.users.range.last) },
  drones: { first: toNumber(planes.drones.range.first), last: toNumber(planes.drones.range.last) },
} as const;
