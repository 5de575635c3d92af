import { may } from "../domain/access";
import { type Ipv4, toNumber } from "../domain/ipv4";
import type { Member } from "../domain/peers";
import { type PlaneName, planes } from "../domain/tunnel-planes";

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

/**
 * Judge the rows one by one: a faulty one is left out and named, the others stand. Of two rows with one address
 * the older keeps it. A drone whose port alone is wrong keeps its tunnel: only that port stays shut. A list whose
 * members are those of `before` is the same list.
 */
export function readFleet(rows: readonly FleetRow[], before?: Fleet): Fleet {
  const users: FleetUser[] = [];
  const drones: FleetDrone[] = [];
  const faults: RowFault[] = [];
  const taken = new Set<string>();
  for (const row of [...rows].sort((a, b) => a.id - b.id)) {
    const { member, faults: own } = judged(row);
    if (member && taken.has(member.ip)) {
      faults.push({ plane: row.plane, id: row.id, fault: "duplicate_address", value: member.ip });
      continue;
    }
    faults.push(...own);
    if (!member) continue;
    taken.add(member.ip);
    if (member.plane === "users") users.push(member);
    else drones.push(member);
  }
  return { users: kept(before?.users, users), drones: kept(before?.drones, drones), faults };
}

const kept = <Item>(before: readonly Item[] | undefined, now: readonly Item[]): readonly Item[] =>
  before?.length === now.length && now.every((item, at) => item === before[at]) ? before : now;

/** What a row says by itself. */
interface Judged {
  readonly member: FleetUser | FleetDrone | undefined;
  readonly faults: readonly RowFault[];
}

/** At a change thousands of rows are the same as before: each is judged once. */
const judgements = new WeakMap<FleetRow, Judged>();

function judged(row: FleetRow): Judged {
  const known = judgements.get(row);
  if (known) return known;
  const judgement = judge(row);
  judgements.set(row, judgement);
  return judgement;
}

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

/** The drones that a user's packets may reach, by the user's address. */
export function reachableDrones({ users, drones }: Fleet): ReadonlyMap<Ipv4, readonly FleetDrone[]> {
  const byOwner = new Map<number, FleetDrone[]>();
  for (const drone of drones) {
    const theirs = byOwner.get(drone.ownerId);
    if (theirs) theirs.push(drone);
    else byOwner.set(drone.ownerId, [drone]);
  }
  return new Map(
    users.map(({ rowId, ip }) => [
      ip,
      (byOwner.get(rowId) ?? []).filter(({ ownerId }) => may(rowId, "vpn", { user_id: ownerId })),
    ]),
  );
}

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
