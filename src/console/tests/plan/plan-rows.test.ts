import { commandName, commandOf, commands } from "../../pages/plan/commands";
import { faultsOf } from "../../pages/plan/mission/faults";
import { profileOf, routeOf } from "../../pages/plan/mission/route";
import { newRow, nextKey, type Row } from "../../pages/plan/mission/row";
import { asCommand, changeRow, deleteRow, insertRows, moveRow } from "../../pages/plan/mission/row-edits";
import { strings } from "../../strings";

const ZURICH = { lat: 47.397742, lng: 8.545594 };

/** So many metres north of a place. */
const north = (metres: number) => ({ lat: ZURICH.lat + metres / 111_195, lng: ZURICH.lng });

/** A row of that command; a waypoint is so many metres north. */
function row(key: number, command: number, change: Partial<Row> & { north?: number } = {}): Row {
  const { north: metres = 0, ...columns } = change;
  const made = newRow(
    commandOf(command) as NonNullable<ReturnType<typeof commandOf>>,
    key,
    north(metres),
    undefined,
  );
  return { ...made, ...columns };
}

const keys = (rows: readonly Row[]) => rows.map(({ key }) => key);
const targets = (rows: readonly Row[]) =>
  rows.flatMap(({ command, param1 }) => (command === 177 ? [param1] : []));

describe("jumps follow the rows that they lead to", () => {
  /** Rows 1 to 4 with a jump from 5 to 2, and one from 6 to 5. */
  const rows = [
    ...[1, 2, 3, 4].map((key) => row(key, 16, { north: key })),
    row(5, 177, { param1: 2 }),
    row(6, 177, { param1: 5 }),
  ];

  test("when a row is inserted before or behind them", () => {
    const before = insertRows(rows, 0, [row(7, 22)]);
    expect(targets(before)).toEqual([3, 6]);
    expect(targets(insertRows(rows, 2, [row(7, 16)]))).toEqual([2, 6]);
    expect(targets(insertRows(rows, 6, [row(7, 16)]))).toEqual([2, 5]);
  });

  test("when rows are deleted, and nowhere when it is theirs", () => {
    expect(targets(deleteRow(rows, 1))).toEqual([1, 4]);
    expect(targets(deleteRow(rows, 2))).toEqual([0, 4]);
    expect(targets(deleteRow(rows, 5))).toEqual([0]);
  });

  test("when rows are moved, the jump itself too", () => {
    const down = moveRow(rows, 1, 3);
    expect(keys(down)).toEqual([1, 3, 4, 2, 5, 6]);
    expect(targets(down)).toEqual([4, 5]);
    const first = moveRow(rows, 4, 0);
    expect(keys(first)).toEqual([5, 1, 2, 3, 4, 6]);
    expect(targets(first)).toEqual([3, 1]);
    expect(moveRow(rows, 2, 2)).toBe(rows);
  });

  test("an added jump names its row as it then is, and a changed one is left as it is", () => {
    expect(targets(insertRows(rows, 0, [row(7, 177, { param1: 3 })]))).toEqual([3, 3, 6]);
    expect(targets(changeRow(rows, 5, { param1: 4 }))).toEqual([4, 5]);
  });

  test("one that leads to no row is an error", () => {
    const faults = faultsOf(deleteRow(rows, 2), "ardupilot");
    expect([...faults.keys()]).toEqual([5]);
    expect(faults.get(5)).toMatchObject([{ isError: true, text: expect.stringContaining("no row") }]);
    expect(faultsOf(rows, "ardupilot").size).toBe(0);
  });
});

describe("a new row", () => {
  test("has the height and frame of the one before it, and what its command begins with", () => {
    const before = row(1, 16, { altitude: 80, frame: 10 });
    const waypoint = newRow(commandOf(16)!, 2, ZURICH, before);
    expect(waypoint).toMatchObject({ altitude: 80, frame: 10, param1: 0, param4: null, ...ZURICH });
    const speed = newRow(commandOf(178)!, 3, ZURICH, before);
    expect(speed).toMatchObject({ lat: 0, lng: 0, altitude: 0, frame: 2, param1: 1, param2: 5, param3: -1 });
    expect(newRow(commandOf(205)!, 4, undefined, before)).toMatchObject({ altitude: 2, frame: 2 });
    expect(newRow(commandOf(21)!, 5, ZURICH, before).altitude).toBe(0);
    expect(nextKey([before, { ...before, key: 9 }])).toBe(10);
  });

  test("of another command keeps its key, its label and, where both have one, its position", () => {
    const labelled = row(7, 16, { north: 50, altitude: 42, label: "gate", param1: 9 });
    const loiter = asCommand(labelled, 19, row(7, 19));
    expect(loiter).toMatchObject({
      key: 7,
      label: "gate",
      command: 19,
      altitude: 42,
      lat: labelled.lat,
      param1: 10,
    });
    const jump = asCommand(labelled, 177, newRow(commandOf(177)!, 7, undefined, undefined));
    expect(jump).toMatchObject({ key: 7, label: "gate", command: 177, lat: 0, lng: 0, frame: 2 });
    const unknown = asCommand(labelled, 31_010, row(7, 16));
    expect(unknown).toMatchObject({ command: 31_010, altitude: 42, lat: labelled.lat });
  });
});

const mapped = <From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));

describe("the table of commands", () => {
  test("has texts for all of its commands, parameters and options, and there are no others", () => {
    const sorted = (values: readonly unknown[]) => values.map(String).sort();
    const byNumber = Object.fromEntries(commands.map(({ id, parameters }) => [id, parameters]));
    const table = mapped(byNumber, (parameters) => mapped(parameters, ({ options = [] }) => sorted(options)));
    const texts = mapped(strings.plan.commands, ({ name: _, ...parameters }) =>
      mapped<string | { options: object }, string[]>(parameters, (words) =>
        typeof words === "string" ? [] : sorted(Object.keys(words.options)),
      ),
    );
    expect(texts).toEqual(table);
  });

  test("has each once, by another name, with values of a new row that fit", () => {
    expect(new Set(commands.map(({ id }) => id)).size).toBe(commands.length);
    expect(new Set(commands.map(({ id }) => commandName(id))).size).toBe(commands.length);
    for (const command of commands) {
      const name = commandName(command.id);
      const made = newRow(command, 1, ZURICH, undefined);
      // A jump leads nowhere until a row is chosen.
      const [autopilot] = command.takenBy;
      const faults = faultsOf([made], autopilot as "px4").get(1) ?? [];
      expect([name, command.id === 177 ? [] : faults]).toEqual([name, []]);
      for (const { options, initial = 0 } of Object.values(command.parameters))
        if (options) expect([name, options]).toEqual([name, expect.arrayContaining([initial])]);
    }
  });

  test("says which autopilot takes a command", () => {
    const rows = [row(1, 82), row(2, 18), row(3, 187)];
    expect([...faultsOf(rows, "px4").keys()]).toEqual([1, 2]);
    expect([...faultsOf(rows, "ardupilot").keys()]).toEqual([3]);
  });
});

describe("the route", () => {
  const climb = row(1, 22, { altitude: 25 });

  test("has its length, and a time with climb, waits and changes of speed", () => {
    const rows = [
      climb,
      row(2, 16, { north: 100, altitude: 25, param1: 7 }),
      row(3, 178, { param2: 10 }),
      row(4, 16, { north: 300, altitude: 25 }),
    ];
    const { length, seconds, highest, legs, isEndless } = routeOf(rows, 5);
    expect(length).toBeCloseTo(300, 0);
    // 25 m up by 2.5 m/s, 100 m by 5 m/s, 7 s, 200 m by 10 m/s.
    expect(seconds).toBeCloseTo(10 + 20 + 7 + 20, 0);
    expect({ highest, isEndless }).toEqual({ highest: 25, isEndless: false });
    expect([...legs.keys()]).toEqual([1, 3]);
    expect(legs.get(3)).toBeCloseTo(200, 0);
  });

  test("counts the repeats of a jump, and one without end once", () => {
    const rows = [climb, row(2, 16, { north: 100, altitude: 25 }), row(3, 16, { altitude: 25 })];
    const jump = (repeats: number) => routeOf([...rows, row(4, 177, { param1: 2, param2: repeats })], 5);
    expect(jump(0).length).toBeCloseTo(200, 0);
    expect(jump(3).length).toBeCloseTo(800, 0);
    expect(jump(-1)).toMatchObject({ isEndless: true, length: jump(0).length });
  });

  test("ends for jumps that nest without bound", () => {
    const rows = [climb, row(2, 177, { param1: 1, param2: 1e6 }), row(3, 177, { param1: 1, param2: 1e6 })];
    expect(routeOf(rows, 5).isEndless).toBe(true);
  });

  test("returns to where it began", () => {
    const { length } = routeOf([climb, row(2, 16, { north: 100, altitude: 25 }), row(3, 20)], 5);
    expect(length).toBeCloseTo(200, 0);
  });

  test("leaves out of the profile what is above something else", () => {
    const rows = [
      row(1, 16, { north: 0, altitude: 10 }),
      row(2, 195, { north: 20 }),
      row(3, 16, { north: 50, altitude: 520, frame: 0 }),
      row(4, 16, { north: 100, altitude: 30, frame: 6 }),
    ];
    const { frame, points, others } = profileOf(rows);
    expect({ frame, others }).toEqual({ frame: 3, others: 1 });
    expect(points.map(({ place, at, altitude }) => [place, Math.round(at), altitude])).toEqual([
      [1, 0, 10],
      [4, 100, 30],
    ]);
  });
});
