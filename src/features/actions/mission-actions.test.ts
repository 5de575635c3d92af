import type { MissionItem } from "../../domain/mission-item";
import { missionItem } from "../../testing/worlds/plans";
import { takeoffHeight } from "./mission-actions";

const item = (changes: Partial<MissionItem>): MissionItem => missionItem({ z_alt: 30, ...changes });

test.each<[string, MissionItem[], number | undefined]>([
  ["of its takeoff", [item({ command: 22, z_alt: 15 }), item({})], 15],
  ["of its first waypoint", [item({ z_alt: 40 }), item({ z_alt: 50 })], 40],
  ["of its takeoff behind a change of speed", [item({ command: 178, z_alt: 0 }), item({ command: 22 })], 30],
  ["in the frame that autopilots return", [item({ command: 22, frame: 6 })], 30],
  ["unknown when it is told above the sea", [item({ command: 22, frame: 0, z_alt: 520 })], undefined],
  ["unknown when it is on the ground", [item({ z_alt: 0 })], undefined],
  ["unknown when it is beyond what may be ordered", [item({ z_alt: 5_000 })], undefined],
  ["unknown in an empty plan", [], undefined],
])("a mission begins at the height %s", (_name, plan, height) => {
  expect(takeoffHeight(plan)).toBe(height);
});
