import { type PlaneName, planeNames } from "../../domain/tunnel-planes";
import { type FleetRow, type JudgedRow, judge } from "./fleet";
import { FEW } from "./policies";

/** Rows by plane and id. */
export type RowIds = Readonly<Record<PlaneName, ReadonlySet<number>>>;

/** More changed rows than these are read by reading the whole tables. */
const MAX_READ_BY_ID = 250;

const keyOf = (plane: PlaneName, id: number): string => `${plane}/${id}`;

/**
 * The database's rows as last read, each judged once. Reads may overlap: a row that was read by its id since a read of all rows began
 * keeps what that said, and of two reads of all rows the one that began later counts.
 */
export class RowCache {
  private rows: Map<string, JudgedRow> | undefined;
  /** For each read of all rows under way, what was read by id since it began; undefined for a row that is gone. */
  private readonly fullReads = new Set<Map<string, JudgedRow | undefined>>();

  constructor(
    private readonly readAll: () => Promise<FleetRow[]>,
    private readonly readSome: (ids: RowIds) => Promise<FleetRow[]>,
  ) {}

  /** Undefined until all rows have been read once. */
  get all(): JudgedRow[] | undefined {
    return this.rows && [...this.rows.values()];
  }

  /** Read every row. When the read rejects, nothing changes. */
  async refresh(): Promise<void> {
    const newer = new Map<string, JudgedRow | undefined>();
    this.fullReads.add(newer);
    try {
      const rows = byKey(await this.readAll());
      // A read that began later has ended first.
      if (!this.fullReads.has(newer)) return;
      for (const read of this.fullReads) {
        if (read === newer) break;
        this.fullReads.delete(read);
      }
      write(rows, newer);
      this.rows = rows;
    } finally {
      this.fullReads.delete(newer);
    }
  }

  /**
   * Read these rows; one that is not found is gone. When more than a few are gone it reads all rows, so that the policy
   * for rows that vanish together sees them together. Rejects as the reads do.
   */
  async refreshSome(ids: RowIds): Promise<void> {
    const keys = planeNames.flatMap((plane) => [...ids[plane]].map((id) => keyOf(plane, id)));
    if (!this.rows || keys.length > MAX_READ_BY_ID) return this.refresh();
    const found = byKey(await this.readSome(ids));
    const changed = new Map(keys.map((key) => [key, found.get(key)]));
    const { rows } = this;
    if (keys.filter((key) => !found.has(key) && rows.has(key)).length > FEW) return this.refresh();
    write(rows, changed);
    for (const newer of this.fullReads) for (const [key, row] of changed) newer.set(key, row);
  }
}

const byKey = (rows: readonly FleetRow[]): Map<string, JudgedRow> =>
  new Map(rows.map((row) => [keyOf(row.plane, row.id), judge(row)]));

function write(rows: Map<string, JudgedRow>, changed: ReadonlyMap<string, JudgedRow | undefined>): void {
  for (const [key, row] of changed) {
    if (row) rows.set(key, row);
    else rows.delete(key);
  }
}
