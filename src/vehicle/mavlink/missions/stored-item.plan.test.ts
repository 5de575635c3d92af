import type { MissionItem } from "../../../domain/mission-item";
import { missionItem } from "../../../testing/worlds/plans";
import { acceptable, compareMissions, fenceDifferences } from "./stored-item.plan";

const item = (changes: Partial<MissionItem> = {}): MissionItem =>
  missionItem({ x_lat: -33.8688197, y_long: 151.2092955, z_alt: 12.34, row: { sequence: 7 }, ...changes });

const compared =
  (autopilot: "ardupilot" | "px4") => (sent: Partial<MissionItem>, kept: Partial<MissionItem>) =>
    compareMissions([item(sent)], [item({ ...sent, ...kept })], autopilot);
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
    expect(compareMissions([item()], [], "px4").differences).toEqual(["1 items were sent and 0 came back"]);
  });

  test("names an item that nobody stored by its place", () => {
    const plain = missionItem();
    expect(compareMissions([plain], [{ ...plain, frame: 0 }], "px4").differences).toEqual([
      "item 1: frame 3 became 0",
    ]);
    expect(compareMissions([{ ...plain, param3: 4 }], [plain], "px4").adjusted).toEqual([
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

test("a fence read back is compared by shape, not by frame or height", () => {
  const corner = item({ command: 5001, param1: 3, z_alt: 0 });
  expect(fenceDifferences([corner], [{ ...corner, frame: 0, z_alt: 7 }])).toEqual([]);
  expect(fenceDifferences([corner], [{ ...corner, command: 5002 }])).toHaveLength(1);
  expect(fenceDifferences([corner], [{ ...corner, param1: 4 }])).toHaveLength(1);
  expect(fenceDifferences([corner], [{ ...corner, x_lat: 0 }])).toHaveLength(1);
  expect(fenceDifferences([corner], [])).toHaveLength(1);
});
