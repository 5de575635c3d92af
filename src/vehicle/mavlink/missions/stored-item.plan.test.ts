import { differencesInWords } from "../../../domain/compare-plans";
import type { MissionItem } from "../../../domain/mission-item";
import { missionItem } from "../../../testing/worlds/plans";
import { acceptable, compareFences, compareMissions, isPartOfFence } from "./stored-item.plan";

const item = (changes: Partial<MissionItem> = {}): MissionItem =>
  missionItem({ x_lat: -33.8688197, y_long: 151.2092955, z_alt: 12.34, row: { sequence: 7 }, ...changes });

/** The verdict on an upload. */
const verdict = (sent: MissionItem[], kept: MissionItem[], autopilot: "ardupilot" | "px4") => {
  const comparison = compareMissions(sent, kept, autopilot);
  return { differences: differencesInWords(sent, kept, comparison), adjusted: comparison.adjusted };
};
const compared =
  (autopilot: "ardupilot" | "px4") => (sent: Partial<MissionItem>, kept: Partial<MissionItem>) =>
    verdict([item(sent)], [item({ ...sent, ...kept })], autopilot);
const ardupilot = compared("ardupilot");
const px4 = compared("px4");

const same = { differences: [], adjusted: [] };
const adjusted = (field: string, sent: number, stored: number) => ({
  differences: [],
  adjusted: [{ sequence: 7, field, sent: Math.fround(sent), stored: Math.fround(stored) }],
});
const different = { differences: [expect.any(String)], adjusted: [] };

describe("a mission read back", () => {
  test("is the same when frame 6 comes back as 3 and the current item has moved", () => {
    expect(ardupilot({ frame: 6 }, { frame: 3, is_current: true })).toEqual(same);
    expect(px4({ frame: 3 }, { frame: 6 })).toEqual(same);
  });

  test("differs in another frame, command, position or height", () => {
    expect(ardupilot({}, { frame: 0 }).differences).toEqual(["row 7: frame 3 became 0"]);
    expect(ardupilot({}, { command: 19 }).differences).toHaveLength(1);
    expect(ardupilot({}, { x_lat: -33.8688198 })).toEqual(different);
    expect(ardupilot({}, { z_alt: 12.36 })).toEqual(different);
    expect(px4({}, { y_long: 151.2 })).toEqual(different);
  });

  test("of a command that is not known may lack its position, and has no other one", () => {
    const none = { x_lat: 0, y_long: 0, z_alt: 0 };
    expect(ardupilot({ command: 189 }, none)).toEqual({
      differences: [],
      adjusted: [
        { sequence: 7, field: "lat", sent: -33.8688197, stored: 0 },
        { sequence: 7, field: "lng", sent: 151.2092955, stored: 0 },
        { sequence: 7, field: "altitude", sent: Math.fround(12.34), stored: 0 },
      ],
    });
    expect(ardupilot({ command: 189 }, { x_lat: 1 })).toEqual(different);
    expect(ardupilot({ command: 20 }, none)).toEqual(same);
  });

  test("of another length differs in its length", () => {
    expect(verdict([item()], [], "px4").differences).toEqual(["1 items were sent and 0 came back"]);
  });

  test("names an item that nobody stored by its place", () => {
    const plain = missionItem();
    expect(verdict([plain], [{ ...plain, frame: 0 }], "px4").differences).toEqual([
      "item 1: frame 3 became 0",
    ]);
    expect(verdict([{ ...plain, param3: 4 }], [plain], "px4").adjusted).toEqual([
      { sequence: null, field: "param3", sent: 4, stored: 0 },
    ]);
  });

  test.each<[string, Partial<MissionItem>, Partial<MissionItem>, object]>([
    ["centimetres of its height", { z_alt: 12.3456 }, { z_alt: 12.34 }, adjusted("altitude", 12.3456, 12.34)],
    ["no yaw", { param4: 90 }, { param4: 0 }, adjusted("param4", 90, 0)],
    ["no acceptance radius", { param2: 3 }, { param2: 0 }, adjusted("param2", 3, 0)],
    [
      "autocontinue",
      { autocontinue: false },
      { autocontinue: true },
      { ...same, adjusted: [{ sequence: 7, field: "autocontinue", sent: 0, stored: 1 }] },
    ],
    ["whole seconds", { param1: 12.7 }, { param1: 12 }, adjusted("param1", 12.7, 12)],
    ["no other time", { param1: 10 }, { param1: 0 }, different],
    [
      "256ths of a turn",
      { command: 18, param1: 0.3 },
      { param1: 0.296875 },
      adjusted("param1", 0.3, 0.296875),
    ],
    ["whole turns", { command: 18, param1: 2.5 }, { param1: 2 }, adjusted("param1", 2.5, 2)],
    ["tens of metres", { command: 18, param3: -263 }, { param3: -260 }, adjusted("param3", -263, -260)],
    ["no rounder radius", { command: 18, param3: 203 }, { param3: 200 }, different],
    ["the direction of a landing, which means nothing", { command: 21 }, { param4: 1 }, same],
    ["no yaw of a landing", { command: 21, param4: 90 }, { param4: 1 }, adjusted("param4", 90, 1)],
    ["a yaw of its own", { command: 21, param4: Number.NaN }, { param4: 1 }, same],
    ["no yaw of its own", { param4: Number.NaN }, { param4: 0 }, same],
    [
      "whole numbers of a camera's order",
      { command: 203, param3: 1.7 },
      { param3: 1 },
      adjusted("param3", 1.7, 1),
    ],
    ["no other number of a camera's order", { command: 203, param3: -30.5 }, { param3: 226 }, different],
  ])("from ArduPilot has %s", (_, sent, kept, result) => {
    expect(ardupilot(sent, kept)).toEqual(result);
  });

  test("of an item without a position may come back without one", () => {
    expect(ardupilot({ command: 20 }, { frame: 0, x_lat: 0, y_long: 0, z_alt: 0 })).toEqual(same);
    expect(px4({ command: 178, param2: 5 }, { frame: 2, x_lat: 0, y_long: 0, z_alt: 0 })).toEqual(same);
    expect(ardupilot({ command: 178, param2: 5 }, { param2: 7 })).toEqual(different);
  });

  test.each<[string, Partial<MissionItem>, Partial<MissionItem>, object]>([
    ["its yaw from 0 on", { param4: -90 }, { param4: 270 }, adjusted("param4", -90, 270)],
    ["its yaw a little off", { param4: 90 }, { param4: 90.00001 }, same],
    ["no other yaw", { param4: 10 }, { param4: 20 }, different],
    ["no yaw, as it was sent", { param4: Number.NaN }, {}, same],
    ["no pass radius", { param3: 4 }, { param3: 0 }, adjusted("param3", 4, 0)],
    ["its waiting time", { param1: 4 }, { param1: 0 }, different],
    ["its acceptance radius", { param2: 4 }, { param2: 0 }, different],
    ["a flag", { command: 19, param1: 8, param4: 90 }, { param4: 1 }, adjusted("param4", 90, 1)],
    ["no pitch", { command: 22, param1: 15 }, { param1: 0 }, adjusted("param1", 15, 0)],
    ["its delay, as another command", { command: 112 }, { command: 93 }, adjusted("command", 112, 93)],
    ["no other command", { command: 93 }, { command: 112 }, different],
    ["its jump", { command: 177, param1: 2 }, { param1: 0 }, different],
  ])("from PX4 has %s", (_, sent, kept, result) => {
    expect(px4(sent, kept)).toEqual(result);
  });
});

test("fields that PX4 refuses and that mean nothing in a command go to it as zeros", () => {
  const [home, speed, gate, waypoint] = acceptable(
    [
      item({ command: 20, param1: 3 }),
      item({ command: 178, param2: 5 }),
      item({ command: 4501, param1: 1, param4: Number.NaN }),
      item({ param1: 4, param4: Number.NaN }),
    ],
    "px4",
  );
  expect(home).toMatchObject({ frame: 2, x_lat: 0, y_long: 0, z_alt: 0, param1: 0 });
  expect(speed).toMatchObject({ frame: 2, x_lat: 0, param2: 5 });
  expect(gate).toMatchObject({ frame: 3, x_lat: -33.8688197, param1: 0, param4: 0 });
  expect(waypoint).toMatchObject({ param1: 4, param4: Number.NaN });
});

test("a yaw that is left to the vehicle is NaN for PX4 and 0 for ArduPilot", () => {
  expect(acceptable([item({ param4: Number.NaN })], "px4")[0]?.param4).toBeNaN();
  expect(acceptable([item({ param4: Number.NaN })], "ardupilot")[0]?.param4).toBe(0);
});

describe("a mission on board that is not as it was sent", () => {
  const rows = [1, 2, 3, 4, 5].map((sequence) => item({ x_lat: sequence, row: { sequence } }));
  const sent = [item({ command: 22, row: undefined }), ...rows];
  const onBoard = (kept: MissionItem[], plan = sent) => {
    const { differences, missing, extra } = compareMissions(plan, kept, "ardupilot");
    return {
      differences: differences.map(({ sequence, field, sent, stored }) => [sequence, field, sent, stored]),
      missing: missing.map(({ sequence }) => sequence),
      extra,
    };
  };
  const held = { differences: [], missing: [], extra: [] };
  const other = item({ x_lat: 80, y_long: 8 });

  test.each<[string, MissionItem[], Partial<typeof held> | object]>([
    ["no difference", sent, {}],
    [
      "the field of a row that is another",
      sent.with(2, item({ x_lat: 2, z_alt: 50 })),
      {
        differences: [[2, "altitude", Math.fround(12.34), 50]],
      },
    ],
    [
      "degrees of a row that was moved",
      sent.with(2, item({ x_lat: 2.5 })),
      {
        differences: [[2, "lat", 2, 2.5]],
      },
    ],
    [
      "the takeoff that was added at another height",
      sent.with(0, item({ command: 22, z_alt: 3 })),
      {
        differences: [[null, "altitude", Math.fround(12.34), 3]],
      },
    ],
    ["the takeoff that was added missing", rows, { missing: [null] }],
    ["a row missing in the middle", sent.toSpliced(3, 1), { missing: [3] }],
    ["rows missing at the end", sent.slice(0, 4), { missing: [4, 5] }],
    ["an item that no row has", sent.toSpliced(2, 0, other), { extra: [2] }],
    ["items behind the last row", [...sent, other, other], { extra: [6, 7] }],
    [
      "a row missing, one changed and an item that no row has",
      [...sent.slice(0, 2), item({ x_lat: 3 }), other, item({ x_lat: 4 }), item({ x_lat: 5, z_alt: 50 })],
      { differences: [[5, "altitude", Math.fround(12.34), 50]], missing: [2], extra: [3] },
    ],
    ["all rows missing where nothing is on board", [], { missing: [null, 1, 2, 3, 4, 5] }],
  ])("has %s", (_, kept, expected) => {
    expect(onBoard(kept)).toEqual({ ...held, ...expected });
  });

  test("differs by as much as its rows, and not by what the vehicle is known to round", () => {
    const rounded = sent.map((row) => ({ ...row, z_alt: 12.34 - 0.004 }));
    expect(onBoard(rounded)).toEqual(held);
    expect(onBoard(rounded.toSpliced(1, 1))).toEqual({ ...held, missing: [1] });
  });

  test("of two thousand rows shows what was moved, and one that has nothing in common is put beside it", () => {
    const long = Array.from({ length: 2_000 }, (_, at) => item({ x_lat: at / 100, row: { sequence: at } }));
    const shifted = [...long.slice(0, 100), ...long.slice(101, 900), other, ...long.slice(900)];
    expect(onBoard(shifted, long)).toEqual({ differences: [], missing: [100], extra: [899] });
    const others = onBoard(
      long.map((row) => ({ ...row, y_long: -8 })),
      long,
    );
    expect([others.missing, others.extra, others.differences.length]).toEqual([[], [], 2_000]);
  });
});

describe("a fence", () => {
  const fenceItem = (command: number, param1: number, x_lat: number, sequence: number) =>
    item({ command, param1, x_lat, z_alt: 0, row: { sequence } });
  const square = (x_lat: number) => [0, 1, 2, 3].map((at) => fenceItem(5001, 4, x_lat + at, at + 1));
  const circle = (x_lat: number, radius: number) => fenceItem(5003, radius, x_lat, 1);
  const onBoard = (sent: MissionItem[], kept: MissionItem[]) => {
    const { differences, missing, extra } = compareFences(sent, kept);
    return {
      differences: differences.map(({ sequence, field, sent, stored }) => [sequence, field, sent, stored]),
      missing: missing.map(({ sequence }) => sequence),
      extra,
      included: isPartOfFence(sent, kept),
    };
  };
  const held = { differences: [], missing: [], extra: [], included: true };

  test("read back is compared by shape, not by frame or height", () => {
    const corner = item({ command: 5001, param1: 3, z_alt: 0 });
    const words = (kept: MissionItem[]) => differencesInWords([corner], kept, compareFences([corner], kept));
    expect(words([{ ...corner, frame: 0, z_alt: 7 }])).toEqual([]);
    expect(words([{ ...corner, param1: 4 }])).toEqual(["row 7: param1 3 became 4"]);
    expect(words([])).toEqual(["1 items were sent and 0 came back"]);
    const elsewhere = ["row 7 did not come back", "item 1 was not sent"];
    expect(words([{ ...corner, command: 5002 }])).toEqual(elsewhere);
    expect(words([{ ...corner, x_lat: 0 }])).toEqual(elsewhere);
  });

  test.each<[string, MissionItem[], MissionItem[], object]>([
    ["alone on board", square(10), square(10), {}],
    [
      "among others",
      square(10),
      [circle(1, 5), ...square(20), ...square(10), circle(2, 5)],
      {
        extra: [0, 1, 2, 3, 4, 9],
      },
    ],
    ["one of two circles at one place", [circle(1, 50)], [circle(1, 100), circle(1, 50)], { extra: [0] }],
    [
      "not on board",
      square(10),
      square(20),
      {
        ...{ missing: [1, 2, 3, 4], extra: [0, 1, 2, 3], included: false },
      },
    ],
    [
      "on board with another radius",
      [circle(1, 50)],
      [circle(1, 60)],
      {
        ...{ differences: [[1, "param1", 50, 60]], included: false },
      },
    ],
    [
      "on board with a vertex elsewhere",
      square(10),
      square(10).with(1, fenceItem(5001, 4, 50, 0)),
      {
        ...{ differences: [[2, "lat", 11, 50]], included: false },
      },
    ],
    [
      "among others with its first vertex elsewhere",
      square(10),
      [...square(20), ...square(10).with(0, fenceItem(5001, 4, 50, 0))],
      { differences: [[1, "lat", 10, 50]], extra: [0, 1, 2, 3], included: false },
    ],
  ])("is %s", (_, sent, kept, expected) => {
    expect(onBoard(sent, kept)).toEqual({ ...held, ...expected });
  });

  test("with a vertex more has another number of them", () => {
    const kept = [...square(10), fenceItem(5001, 5, 70, 0)].map((vertex) => ({ ...vertex, param1: 5 }));
    expect(onBoard(square(10), kept)).toEqual({
      differences: [1, 2, 3, 4].map((sequence) => [sequence, "param1", 4, 5]),
      ...{ missing: [], extra: [4], included: false },
    });
  });
});
