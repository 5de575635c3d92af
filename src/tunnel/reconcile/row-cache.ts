import { type PlaneName, planeNames } from "../../domain/tunnel-planes";
import type { Db } from "../../platform/postgres/db";
import { type Fleet, type FleetRow, readFleet, type ValidatedRow, validateRow } from "./fleet";
import { REMOVABLE_AT_ONCE } from "./policies";

/** Rows by plane and id. */
export type RowIds = Readonly<Record<PlaneName, ReadonlySet<number>>>;

/** More changed rows than these are read by reading the whole tables. */
const MAX_READ_BY_ID = 250;
const LIMIT_MS = 5_000;

/** Users and drones with an address, in one statement: they are of the same instant. */
const select = (filter: string): string => `
  SELECT 'users' AS plane, id, host(ip) AS ip, vpn_key_id AS key_id, NULL::integer AS owner,
    NULL::integer AS port
  FROM users WHERE ip IS NOT NULL ${filter}
  UNION ALL
  SELECT 'drones', id, host(ip), vpn_key_id, user_id, port
  FROM drones WHERE type = 'physical' AND deleted_at IS NULL AND ip IS NOT NULL ${filter}`;
const ALL_ROWS = select("");
const SOME_ROWS = select("AND id = ANY(?)");

/**
 * The database's rows as last read. Reads may overlap: a row that was read by its id since a read of all rows began
 * keeps what that said, and of two reads of all rows the one that began later counts. A read rejects when the database
 * does not answer within five seconds, and then changes nothing.
 */
export class RowCache {
  /** Undefined for a row that is gone since the last read of all rows. */
  private rows: Map<string, ValidatedRow | undefined> | undefined;
  /** For each read of all rows under way, what was read by id since it began. */
  private readonly fullReads = new Set<Map<string, ValidatedRow | undefined>>();
  /** What the rows say; undefined until all rows have been read once. */
  fleet: Fleet | undefined;

  constructor(private readonly db: Pick<Db, "raw">) {}

  /** Read every row. */
  async refresh(): Promise<void> {
    const newer = new Map<string, ValidatedRow | undefined>();
    this.fullReads.add(newer);
    try {
      const read: { rows: FleetRow[] } = await this.db.raw(ALL_ROWS).timeout(LIMIT_MS);
      // A read that began later has ended first.
      if (!this.fullReads.has(newer)) return;
      for (const earlier of this.fullReads) {
        if (earlier === newer) break;
        this.fullReads.delete(earlier);
      }
      this.rows = new Map([
        ...read.rows.map((row) => [keyOf(row.plane, row.id), validateRow(row)] as const),
        ...newer,
      ]);
      this.fleet = readFleet(this.rows.values());
    } finally {
      this.fullReads.delete(newer);
    }
  }

  /**
   * Read these rows; one that is not found is gone. When more than a few are gone it reads all rows, so that the policy
   * for rows that vanish together sees them together.
   */
  async refreshSome(ids: RowIds): Promise<void> {
    const keys = planeNames.flatMap((plane) => [...ids[plane]].map((id) => keyOf(plane, id)));
    if (!this.rows || keys.length > MAX_READ_BY_ID) return this.refresh();
    const read: { rows: FleetRow[] } = await this.db
      .raw(SOME_ROWS, [[...ids.users], [...ids.drones]])
      .timeout(LIMIT_MS);
    const found = new Map(read.rows.map((row) => [keyOf(row.plane, row.id), validateRow(row)]));
    const { rows } = this;
    if (keys.filter((key) => !found.has(key) && rows.get(key)).length > REMOVABLE_AT_ONCE)
      return this.refresh();
    for (const map of [rows, ...this.fullReads]) for (const key of keys) map.set(key, found.get(key));
    this.fleet = readFleet(rows.values());
  }
}

const keyOf = (plane: PlaneName, id: number): string => `${plane}/${id}`;
