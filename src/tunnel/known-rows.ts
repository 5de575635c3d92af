import { type PlaneName, planeNames } from "../domain/tunnel-planes";
import type { FleetRow } from "./fleet";
import { FEW } from "./policies";

/** Rows by plane and id. */
export type RowIds = Readonly<Record<PlaneName, ReadonlySet<number>>>;

const sameRow = (a: FleetRow, b: FleetRow): boolean =>
  a.ip === b.ip && a.key_id === b.key_id && a.owner === b.owner && a.port === b.port;

/** Of more than so many, all are read. */
const MOST_BY_ID = 250;

const keyOf = (plane: PlaneName, id: number): string => `${plane}/${id}`;

/**
 * The database's rows as last read, all of them or some by their ids. Reads may overlap: a row that was read by
 * its id after a read of all had begun keeps what that said, for a still newer state comes with another notice.
 * A row that is read again as it was stays the same object, so that what was made of it need not be made anew.
 */
export class KnownRows {
  private rows: Map<string, FleetRow> | undefined;
  private begun = 0;
  /** The last read of all rows, by when it began, that was taken over. */
  private taken = 0;
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
    const number = ++this.begun;
    const newer = new Set<string>();
    this.readSince.add(newer);
    try {
      const rows = new Map((await this.readAll()).map((row) => this.known(keyOf(row.plane, row.id), row)));
      // One that began later was quicker.
      if (number < this.taken) return;
      this.taken = number;
      for (const key of newer) put(rows, key, this.rows?.get(key));
      this.rows = rows;
    } finally {
      this.readSince.delete(newer);
    }
  }

  /**
   * Read these rows; one that is not found is gone. When more than a few are gone it reads all: who vanishes with
   * many others is not to be dealt with a few at a time. Rejects as the reads do.
   */
  async refreshSome(ids: RowIds): Promise<void> {
    if (!this.rows) return this.refresh();
    const keys = planeNames.flatMap((plane) => [...ids[plane]].map((id) => keyOf(plane, id)));
    if (keys.length > MOST_BY_ID) return this.refresh();
    const found = new Map((await this.readSome(ids)).map((row) => [keyOf(row.plane, row.id), row]));
    const gone = keys.filter((key) => !found.has(key) && this.rows?.has(key));
    if (gone.length > FEW) return this.refresh();
    for (const key of keys) {
      const row = found.get(key);
      put(this.rows, key, row && this.known(key, row)[1]);
      for (const newer of this.readSince) newer.add(key);
    }
  }

  private known(key: string, row: FleetRow): [string, FleetRow] {
    const before = this.rows?.get(key);
    return [key, before && sameRow(before, row) ? before : row];
  }
}

function put(rows: Map<string, FleetRow>, key: string, row: FleetRow | undefined): void {
  if (row) rows.set(key, row);
  else rows.delete(key);
}
