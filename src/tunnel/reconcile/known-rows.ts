import { type PlaneName, planeNames } from "../../domain/tunnel-planes";
import type { FleetRow, PlaneRows } from "./fleet";
import { FEW } from "./policies";

/** Rows by plane and id. */
export type RowIds = Readonly<Record<PlaneName, ReadonlySet<number>>>;

type RowMaps = Record<PlaneName, Map<number, FleetRow>>;

/** Of more than so many, all are read. */
const MOST_BY_ID = 250;

const keyOf = (plane: PlaneName, id: number): string => `${plane}/${id}`;

const sameRow = (a: FleetRow, b: FleetRow): boolean =>
  a.ip === b.ip && a.key_id === b.key_id && a.owner === b.owner && a.port === b.port;

/**
 * The database's rows as last read, all of them or some by their ids. Reads may overlap: a row that was read by
 * its id after a read of all had begun keeps what that said, for a still newer state comes with another notice.
 * A row that is read again as it was stays the same object, and so does the list of a plane of which nothing
 * changed: what was made of them need not be made anew.
 */
export class KnownRows {
  private rows: RowMaps | undefined;
  private lists: Partial<Record<PlaneName, readonly FleetRow[]>> = {};
  private begun = 0;
  /** The last read of all rows, by when it began, that was taken over. */
  private taken = 0;
  /** For each read of all rows that is under way, the rows that were read by their ids since it began. */
  private readonly readSince = new Set<Set<string>>();

  constructor(
    private readonly readAll: () => Promise<FleetRow[]>,
    private readonly readSome: (ids: RowIds) => Promise<FleetRow[]>,
  ) {}

  /** Every known row, by plane and id; undefined until all have been read once. */
  get all(): PlaneRows | undefined {
    const { rows } = this;
    if (!rows) return undefined;
    for (const plane of planeNames) {
      this.lists[plane] ??= [...rows[plane].values()].sort((a, b) => a.id - b.id);
    }
    return { ...(this.lists as PlaneRows) };
  }

  /** Read every row. Rejects as the read does, and then nothing has changed. */
  async refresh(): Promise<void> {
    const number = ++this.begun;
    const newer = new Set<string>();
    this.readSince.add(newer);
    try {
      const found = await this.readAll();
      // One that began later was quicker.
      if (number < this.taken) return;
      this.taken = number;
      const rows: RowMaps = { users: new Map(), drones: new Map() };
      for (const row of found) {
        if (!newer.has(keyOf(row.plane, row.id))) rows[row.plane].set(row.id, this.kept(row));
      }
      for (const plane of planeNames) {
        for (const [id, row] of this.rows?.[plane] ?? []) {
          if (newer.size > 0 && newer.has(keyOf(plane, id))) rows[plane].set(id, row);
        }
        if (!hasSame(rows[plane], this.rows?.[plane])) delete this.lists[plane];
      }
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
    const asked = planeNames.flatMap((plane) => [...ids[plane]].map((id) => ({ plane, id })));
    if (asked.length > MOST_BY_ID) return this.refresh();
    const found = new Map((await this.readSome(ids)).map((row) => [keyOf(row.plane, row.id), row]));
    const gone = asked.filter(({ plane, id }) => !found.has(keyOf(plane, id)) && this.rows?.[plane].has(id));
    if (gone.length > FEW) return this.refresh();
    for (const { plane, id } of asked) {
      const key = keyOf(plane, id);
      this.put(plane, id, found.get(key));
      for (const newer of this.readSince) newer.add(key);
    }
  }

  private put(plane: PlaneName, id: number, row: FleetRow | undefined): void {
    const rows = (this.rows as RowMaps)[plane];
    const next = row && this.kept(row);
    if (next === rows.get(id)) return;
    if (next) rows.set(id, next);
    else rows.delete(id);
    delete this.lists[plane];
  }

  private kept(row: FleetRow): FleetRow {
    const before = this.rows?.[row.plane].get(row.id);
    return before && sameRow(before, row) ? before : row;
  }
}

function hasSame(rows: ReadonlyMap<number, FleetRow>, before: ReadonlyMap<number, FleetRow> | undefined) {
  if (rows.size !== before?.size) return false;
  for (const [id, row] of rows) if (before.get(id) !== row) return false;
  return true;
}
