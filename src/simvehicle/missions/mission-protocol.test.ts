import { offsetBy } from "../../domain/geo";
import { planItem } from "../../testing/fakes/ground-station";
import { home, SteppedVehicle } from "../../testing/worlds/stepped-vehicle";
import { build } from "../../vehicle/mavlink/wire/codec";
import { common, type MavLinkData } from "../../vehicle/mavlink/wire/messages";
import type { PlanItem } from "./plan-item";
import { planStore } from "./plan-store";

const { MISSION, FENCE } = common.MavMissionType;
const at = { targetSystem: 1, targetComponent: 1, missionType: MISSION };
const receive = ({ vehicle }: SteppedVehicle, message: MavLinkData) =>
  vehicle.receive(message, { systemId: 255, componentId: 190 });

/** Seconds between two requests of a reading, after which it goes on. */
const goesOnAfter = (autopilot: "ardupilot" | "px4", seconds: number): boolean => {
  const stepped = new SteppedVehicle({}, 0, autopilot);
  const store = planStore(stepped.flight, MISSION);
  store?.begin(2);
  const incoming: PlanItem[] = [];
  for (const seq of [0, 1]) store?.put(seq, planItem({ frame: 6, z: 10 }), incoming);
  store?.finish(incoming);
  receive(stepped, build(common.MissionRequestList, at));
  receive(stepped, build(common.MissionRequestInt, { ...at, seq: 0 }));
  stepped.wait(seconds);
  receive(stepped, build(common.MissionRequestInt, { ...at, seq: 1 }));
  return stepped.sent.some((sent) => sent instanceof common.MissionItemInt && sent.seq === 1);
};

test("PX4 ends a reading 5 s after its last request and ignores the next one, ArduPilot does not", () => {
  expect([4.5, 5.5].map((seconds) => goesOnAfter("px4", seconds))).toEqual([true, false]);
  expect(goesOnAfter("ardupilot", 60)).toBe(true);
});

/** Uploads a plan whole; the vehicle's clock stands meanwhile. */
function upload(stepped: SteppedVehicle, items: readonly PlanItem[], missionType = MISSION): void {
  receive(stepped, build(common.MissionCount, { ...at, missionType, count: items.length }));
  for (const [seq, item] of items.entries())
    receive(stepped, Object.assign(new common.MissionItemInt(), item, { ...at, missionType, seq }));
  const [ack] = stepped.sent.filter((each) => each instanceof common.MissionAck).slice(-1);
  expect(ack).toMatchObject({ type: common.MavMissionResult.ACCEPTED, missionType });
}

/** Metres north of home. */
const northOfHome = (metres: number) => {
  const { lat, lng } = offsetBy(home, metres, 0);
  return { x: Math.round(lat * 1e7), y: Math.round(lng * 1e7) };
};
const circle = (command: number, north: number) => planItem({ command, param1: 50, ...northOfHome(north) });
const [INSIDE, OUTSIDE] = [5003, 5004];
const fenceTexts = ({ texts }: SteppedVehicle) => texts.filter((text) => text.startsWith("Geofence"));

/** What the vehicle says of a fence at once, just before half a second, and after it. */
const saidOver = (stepped: SteppedVehicle) =>
  [0, 0.4, 0.2].map((seconds) => {
    stepped.wait(seconds);
    return fenceTexts(stepped);
  });

test("PX4 calls a fence without home invalid half a second after it took it, and does not act on it", () => {
  const stepped = new SteppedVehicle({}, 0, "px4");
  upload(stepped, [circle(INSIDE, 400)], FENCE);
  expect(saidOver(stepped)).toEqual([[], [], ["Geofence invalid, doesn't contain Home position\t"]]);
  expect(stepped.flight.fenceItems).toHaveLength(1);
  stepped.command(400, { _param1: 1 });
  stepped.command(22, { _param5: Number.NaN, _param6: Number.NaN, _param7: home.altitude + 10 });
  stepped.wait(10);
  expect(stepped.mode).toBe("AUTO_LOITER");
  expect(stepped.texts).not.toContain("Polygon fence breached");
});

test.each([
  ["out of an inclusion", INSIDE, 0],
  ["into an exclusion", OUTSIDE, 120],
])("PX4 names the first waypoint %s half a second after it took the mission", (_way, kind, north) => {
  const stepped = new SteppedVehicle({}, 0, "px4");
  upload(stepped, [circle(kind, north)], FENCE);
  stepped.wait(1);
  expect(fenceTexts(stepped)).toEqual([]);
  const flown = [10, 20, 120, 130].map((metres) => planItem({ frame: 6, z: 10, ...northOfHome(metres) }));
  // One that no position belongs to.
  upload(stepped, [planItem({ command: 178, param1: 1, param2: 5 }), ...flown]);
  expect(saidOver(stepped)).toEqual([[], [], ["Geofence violation for waypoint 4\t"]]);
  expect(stepped.flight.mission.count).toBe(5);
  stepped.wait(2);
  expect(fenceTexts(stepped)).toHaveLength(1);
});

test("ArduPilot compares neither a fence with home nor a mission with a fence", () => {
  const stepped = new SteppedVehicle();
  upload(stepped, [circle(INSIDE, 400)], FENCE);
  upload(stepped, [planItem({}), planItem(northOfHome(10))]);
  stepped.wait(2);
  expect(fenceTexts(stepped)).toEqual([]);
});
