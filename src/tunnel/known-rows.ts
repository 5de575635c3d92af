import type { PlaneName } from "../domain/tunnel-planes";
import type { FleetRow } from "./fleet";

/** Rows by plane and id. */
export type RowIds = Readonly<Record<PlaneName, ReadonlySet<number>>>;

const keyOf = (plane: PlaneName, id: number): string => `${plane}/${id}`;

/**
 * The database's rows as last read, all of them or some by their ids. Reads may overlap: a row that was read by
 * its id after a read of all had begun keeps what that said, for a still newer state comes with another notice.
 */
export class KnownRows {
  private rows: Map<string, FleetRow> | undefined;
  /** For each read of all rows that is under way, the rows that were read by their ids since it began. */
  private readonly readSince = new Set<Set<string>>();

  constructor(
    private readonly readAll: () => Promise<FleetRow[]>,
    private readonly readSome: (ids: RowIds) => Promise<FleetRow[]>,
  ) {}

  /** Every known row; undefined until all have been read once. */
  get all(): readonly FleetRow[] | undefined {
    return this.rows && [...this.rows.values()];
  }

  /** Read every row. Rejects as the read does, and then nothing has changed. */
  async refresh(): Promise<void> {
    const newer = new Set<string>();
    this.readSince.add(newer);
    try {
      const rows = new Map((await this.readAll()).map((row) => [keyOf(row.plane, row.id), row]));
      for (const key of newer) put(rows, key, this.rows?.get(key));
      this.rows = rows;
    } finally {
      this.readSince.delete(newer);
    }
  }

  /** Read these rows; one that is not found is gone. Only after `refresh` has succeeded once. */
  async refreshSome(ids: RowIds): Promise<void> {
    const found = new Map((await this.readSome(ids)).map((row) => [keyOf(row.plane, row.id), row]));
    for (const plane of ["users", "drones"] as const) {
      for (const id of ids[plane]) {
        const key = keyOf(plane, id);
        if (this.rows) put(this.rows, key, found.get(key));
        for (const newer of this.readSince) newer.add(key);
      }
    }
  }
}

function put(rows: Map<string, FleetRow>, key: string, row: FleetRow | undefined): void {
  if (row) rows.set(key, row);
  else rows.delete(key);
}
