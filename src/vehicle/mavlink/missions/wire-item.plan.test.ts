import type { MissionItem } from "../../../domain/mission-item";
import { missionItem } from "../../../testing/worlds/plans";
import { fromWire, missionFromWire, toWire, wireFence, wireMission } from "./wire-item.plan";

const item = (changes: Partial<MissionItem> = {}): MissionItem =>
  missionItem({ x_lat: -33.8688197, y_long: 151.2092955, z_alt: 12.34, ...changes });

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

test("a jump is counted with home as 0 for ArduPilot, and from 0 for PX4", () => {
  const home = { lat: 1, lng: 2, altitude: 3 };
  const plan = [item(), item({ command: 177, param1: 1, param2: 3 })];
  for (const [autopilot, target] of [["ardupilot", 1] as const, ["px4", 0] as const]) {
    const sent = wireMission(plan, autopilot, home);
    expect(sent.at(-1)).toMatchObject({ command: 177, param1: target, param2: 3 });
    expect(missionFromWire(sent, autopilot)).toEqual(plan);
  }
});

test("of a fence point's parameters only the first is sent", () => {
  expect(wireFence([item({ command: 5001, param1: 3, param2: 1, param4: Number.NaN })])).toMatchObject([
    { param1: 3, param2: 0, param3: 0, param4: 0 },
  ]);
});
