import { may } from "../../domain/access";
import { type Ipv4, toNumber } from "../../domain/ipv4";
import type { Member } from "../../domain/peers";
import { type PlaneName, planes } from "../../domain/tunnel-planes";
import { onceEach } from "./once-each";

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
  readonly faults: readonly RowFault[];
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The rows of each plane, by id. */
export type PlaneRows = Readonly<Record<PlaneName, readonly FleetRow[]>>;

/**
 * Judge the rows one by one: a faulty one is left out and named, the others stand. Of two rows with one address
 * the older keeps it. A drone whose port alone is wrong keeps its tunnel: only that port stays shut. The members
 * of a list of rows that was read before are the same list again.
 */
export function readFleet(rows: PlaneRows): Fleet {
  const [users, drones] = [readOnce(rows.users), readOnce(rows.drones)];
  return {
    users: users.members as readonly FleetUser[],
    drones: drones.members as readonly FleetDrone[],
    faults: [...users.faults, ...drones.faults],
  };
}

interface PlaneReading {
  readonly members: readonly (FleetUser | FleetDrone)[];
  readonly faults: readonly RowFault[];
}

const readOnce = onceEach(readPlane);

function readPlane(rows: readonly FleetRow[]): PlaneReading {
  const members: (FleetUser | FleetDrone)[] = [];
  const faults: RowFault[] = [];
  const taken = new Set<string>();
  for (const row of rows) {
    const { member, faults: own } = judged(row);
    if (member && taken.has(member.ip)) {
      faults.push({ plane: row.plane, id: row.id, fault: "duplicate_address", value: member.ip });
      continue;
    }
    faults.push(...own);
    if (!member) continue;
    taken.add(member.ip);
    members.push(member);
  }
  return { members, faults };
}

/** What a row says by itself. */
interface Judged {
  readonly member: FleetUser | FleetDrone | undefined;
  readonly faults: readonly RowFault[];
}

/** At a change thousands of rows are the same as before: each is judged once. */
const judged = onceEach(judge);

function judge({ plane, id, ip: text, key_id: keyId, owner, port: given }: FleetRow): Judged {
  const fault = (fault: RowFault["fault"], value: unknown) => [{ plane, id, fault, value: String(value) }];
  const ip = addressIn(plane, text);
  if (!ip) return { member: undefined, faults: fault("address_outside_plane", text) };
  if (!uuid.test(keyId)) return { member: undefined, faults: fault("malformed_key_id", keyId) };
  if (plane === "users") return { member: { plane, rowId: id, keyId, ip }, faults: [] };
  const port = isPort(given) ? given : undefined;
  return {
    member: { plane, rowId: id, keyId, ip, ownerId: Number(owner), port },
    faults: port === undefined ? fault("port_out_of_range", given) : [],
  };
}

/** Each drone with the user whose packets may reach it, when there is one. */
export function* reachablePairs({ users, drones }: Fleet): Iterable<readonly [FleetUser, FleetDrone]> {
  const byId = usersById(users);
  for (const drone of drones) {
    const user = byId.get(drone.ownerId);
    if (user && may(user.rowId, "vpn", { user_id: drone.ownerId })) yield [user, drone];
  }
}

const usersById = onceEach((users: readonly FleetUser[]) => new Map(users.map((user) => [user.rowId, user])));

const bounds = {
  users: [toNumber(planes.users.range.first), toNumber(planes.users.range.last)],
  drones: [toNumber(planes.drones.range.first), toNumber(planes.drones.range.last)],
} as const;
const dotted = /^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/;

/** Every row of a large fleet passes here at every change, so it is done without a schema. */
function addressIn(plane: PlaneName, text: string): Ipv4 | undefined {
  if (!dotted.test(text)) return undefined;
  const [first, last] = bounds[plane];
  const value = toNumber(text);
  // 300 is no octet: written back, the address would be another.
  const isWhole = text.split(".").every((octet) => Number(octet) <= 255);
  return isWhole && value >= first && value <= last ? (text as Ipv4) : undefined;
}

const isPort = (port: number | null): port is number =>
  port !== null && Number.isInteger(port) && port >= 1 && port <= 65535;
