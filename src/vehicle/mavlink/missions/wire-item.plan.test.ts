import type { MissionItem } from "../../../domain/mission-item";
import { missionItem } from "../../../testing/worlds/plans";
import {
  fenceDifferences,
  fromWire,
  missionDifferences,
  missionFromWire,
  toWire,
  wireMission,
} from "./wire-item.plan";

const item = (changes: Partial<MissionItem> = {}): MissionItem =>
  missionItem({ x_lat: -33.8688197, y_long: 151.2092955, z_alt: 12.34, ...changes });

const ardupilot = (sent: Partial<MissionItem>, kept: Partial<MissionItem>) =>
  missionDifferences([item(sent)], [item({ ...sent, ...kept })], "ardupilot");
const px4 = (sent: Partial<MissionItem>, kept: Partial<MissionItem>) =>
  missionDifferences([item(sent)], [item({ ...sent, ...kept })], "px4");

test("an item is sent with degrees × 1e7 and read back unchanged", () => {
  expect(toWire(item(), 4)).toMatchObject({
    seq: 4,
    x: -338_688_197,
    y: 1_512_092_955,
    z: 12.34,
    current: 0,
  });
  expect(fromWire(toWire(item(), 4))).toEqual(item());
});

test("ArduPilot's item 0 is home, PX4's is the plan's own", () => {
  const home = { lat: 1, lng: 2, altitude: 3 };
  const sent = wireMission([item()], "ardupilot", home);
  expect(sent.map(({ seq, frame, x }) => [seq, frame, x])).toEqual([
    [0, 0, 10_000_000],
    [1, 3, -338_688_197],
  ]);
  expect(missionFromWire(sent, "ardupilot")).toEqual([item()]);
  expect(missionFromWire(wireMission([item()], "px4", home), "px4")).toEqual([item()]);
  expect(missionFromWire([], "ardupilot")).toEqual([]);
});

test("an item without a position is sent to PX4 in MAV_FRAME_MISSION", () => {
  const plan = [item(), item({ command: 20, frame: 3 }), item({ command: 178 })];
  const home = { lat: 0, lng: 0, altitude: 0 };
  expect(wireMission(plan, "px4", home).map(({ frame }) => frame)).toEqual([3, 2, 2]);
  expect(wireMission(plan, "ardupilot", home).map(({ frame }) => frame)).toEqual([0, 3, 3, 3]);
});

describe("a mission read back", () => {
  test("is the same when frame 6 comes back as 3 and the current item has moved", () => {
    expect(ardupilot({ frame: 6 }, { frame: 3, is_current: true })).toEqual([]);
    expect(px4({ frame: 3 }, { frame: 6 })).toEqual([]);
  });

  test("differs in another frame, command, position or height", () => {
    expect(ardupilot({}, { frame: 0 })).toEqual(["item 1: frame 3 became 0"]);
    expect(ardupilot({}, { command: 19 })).toHaveLength(1);
    expect(ardupilot({}, { x_lat: -33.8688198 })).toHaveLength(1);
    expect(ardupilot({}, { z_alt: 12.36 })).toHaveLength(1);
    expect(px4({}, { y_long: 151.2 })).toHaveLength(1);
  });

  test("of another length differs in its length", () => {
    expect(missionDifferences([item()], [], "px4")).toEqual(["1 items were sent and 0 came back"]);
  });

  test("from ArduPilot has centimetres, and only the parameters that it stores", () => {
    expect(ardupilot({ z_alt: 12.3456 }, { z_alt: 12.34 })).toEqual([]);
    expect(
      ardupilot({ param4: 90, param2: 3, autocontinue: false }, { param4: 0, param2: 0, autocontinue: true }),
    ).toEqual([]);
    expect(ardupilot({ param1: 2.5 }, { param1: 2 })).toEqual([]);
    expect(ardupilot({ param1: 10 }, { param1: 0 })).toEqual(["item 1: param1 10 became 0"]);
    expect(ardupilot({ command: 21 }, { param4: 1 })).toEqual([]);
  });

  test("of an item without a position may come back without one", () => {
    expect(ardupilot({ command: 20 }, { frame: 0, x_lat: 0, y_long: 0, z_alt: 0 })).toEqual([]);
    expect(px4({ command: 178, param2: 5 }, { frame: 2, x_lat: 0, y_long: 0, z_alt: 0 })).toEqual([]);
    expect(ardupilot({ command: 178, param2: 5 }, { param2: 7 })).toHaveLength(1);
  });

  test("from PX4 has its yaw wrapped, its waiting time and radius as sent", () => {
    expect(px4({ param4: -90 }, { param4: 270.00001 })).toEqual([]);
    expect(px4({ param4: 10 }, { param4: 20 })).toHaveLength(1);
    expect(px4({ param3: 4 }, { param3: 0 })).toEqual([]);
    expect(px4({ param1: 4 }, { param1: 0 })).toHaveLength(1);
    expect(px4({ param2: 4 }, { param2: 0 })).toHaveLength(1);
    expect(px4({ command: 19, param1: 8, param4: 90 }, { param4: 1 })).toEqual([]);
    expect(px4({ command: 22, param1: 15 }, { param1: 0 })).toEqual([]);
    expect(px4({ command: 177, param1: 2 }, { param1: 0 })).toHaveLength(1);
  });
});

test("a fence read back is compared by shape, not by frame or height", () => {
  const corner = item({ command: 5001, param1: 3, z_alt: 0 });
  expect(fenceDifferences([corner], [{ ...corner, frame: 0, z_alt: 7 }])).toEqual([]);
  expect(fenceDifferences([corner], [{ ...corner, command: 5002 }])).toHaveLength(1);
  expect(fenceDifferences([corner], [{ ...corner, param1: 4 }])).toHaveLength(1);
  expect(fenceDifferences([corner], [{ ...corner, x_lat: 0 }])).toHaveLength(1);
  expect(fenceDifferences([corner], [])).toHaveLength(1);
});
