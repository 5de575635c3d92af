import { planItem } from "../../testing/fakes/ground-station";
import { SteppedVehicle } from "../../testing/worlds/stepped-vehicle";
import { build } from "../../vehicle/mavlink/wire/codec";
import { common, type MavLinkData } from "../../vehicle/mavlink/wire/messages";
import type { PlanItem } from "./plan-item";
import { planStore } from "./plan-store";

const at = { targetSystem: 1, targetComponent: 1, missionType: common.MavMissionType.MISSION };

/** Seconds between two requests of a reading, after which it goes on. */
const goesOnAfter = (autopilot: "ardupilot" | "px4", seconds: number): boolean => {
  const stepped = new SteppedVehicle({}, 0, autopilot);
  const store = planStore(stepped.flight, common.MavMissionType.MISSION);
  store?.begin(2);
  const incoming: PlanItem[] = [];
  for (const seq of [0, 1]) store?.put(seq, planItem({ frame: 6, z: 10 }), incoming);
  store?.finish(incoming);
  const receive = (message: MavLinkData) =>
    stepped.vehicle.receive(message, { systemId: 255, componentId: 190 });
  receive(build(common.MissionRequestList, at));
  receive(build(common.MissionRequestInt, { ...at, seq: 0 }));
  stepped.wait(seconds);
  receive(build(common.MissionRequestInt, { ...at, seq: 1 }));
  return stepped.sent.some((sent) => sent instanceof common.MissionItemInt && sent.seq === 1);
};

test("PX4 ends a reading 5 s after its last request and ignores the next one, ArduPilot does not", () => {
  expect([4.5, 5.5].map((seconds) => goesOnAfter("px4", seconds))).toEqual([true, false]);
  expect(goesOnAfter("ardupilot", 60)).toBe(true);
});
