import { offsetBy } from "../../domain/geo";
import { planItem } from "../../testing/fakes/ground-station";
import { home, SteppedVehicle } from "../../testing/worlds/stepped-vehicle";
import { common } from "../../vehicle/mavlink/wire/messages";
import type { PlanItem } from "../missions/plan-item";
import { planStore } from "../missions/plan-store";

const at = (n: number, e: number) => {
  const { lat, lng } = offsetBy(home, n, e);
  return { x: Math.round(lat * 1e7), y: Math.round(lng * 1e7) };
};
const placeholder = planItem({ frame: 0 });
const takeoff = planItem({ command: 22, z: 10 });

function load(stepped: SteppedVehicle, items: readonly PlanItem[]): void {
  const plan = planStore(stepped.flight, common.MavMissionType.MISSION)!;
  plan.begin(items.length);
  for (const [seq, item] of items.entries()) plan.put(seq, item, []);
  plan.finish([]);
}

/** A copter in AUTO, in the air, at the start of a plan. */
function fly(items: readonly PlanItem[]): SteppedVehicle {
  const stepped = new SteppedVehicle();
  load(stepped, [placeholder, takeoff, ...items]);
  stepped.takeOff(10);
  expect(stepped.command(176, { _param1: 1, _param2: 3 })).toBe(0);
  return stepped;
}

const reached = (stepped: SteppedVehicle): number[] =>
  stepped.sent.filter((each) => each instanceof common.MissionItemReached).map(({ seq }) => seq);

test("a plan that ends with a landing ends on the ground, disarmed", () => {
  const stepped = fly([planItem({ command: 21, ...at(15, 0) })]);
  stepped.wait(60);
  expect(stepped.flight.armed).toBe(false);
  expect(stepped.flight.body.n).toBeCloseTo(15, 0);
  expect(reached(stepped)).toEqual([1, 2]);
});

test("a waypoint is held for its delay", () => {
  const stepped = fly([planItem({ ...at(5, 0), z: 10, param1: 20 }), planItem({ ...at(10, 0), z: 10 })]);
  stepped.wait(15);
  expect(stepped.flight.run.seq).toBe(2);
  stepped.wait(15);
  expect(reached(stepped)).toEqual([1, 2, 3]);
});

test("a jump is repeated as often as its item says", () => {
  const stepped = fly([
    planItem({ ...at(10, 0), z: 10 }),
    planItem({ ...at(0, 0), z: 10 }),
    planItem({ command: 177, param1: 2, param2: 2 }),
  ]);
  stepped.wait(120);
  expect(reached(stepped)).toEqual([1, 2, 3, 2, 3, 2, 3]);
  expect(stepped.flight.run.state).toBe("complete");
});

test("a speed change applies to the following items", () => {
  const stepped = fly([planItem({ command: 178, param1: 1, param2: 2 }), planItem({ ...at(100, 0), z: 10 })]);
  stepped.wait(10);
  expect(Math.hypot(stepped.flight.body.vn, stepped.flight.body.ve)).toBeCloseTo(2, 1);
});

test("an endless loiter stays, and a timed one ends", () => {
  const timed = fly([planItem({ command: 19, ...at(5, 0), z: 10, param1: 5 })]);
  timed.wait(30);
  expect(timed.flight.run.state).toBe("complete");
  const endless = fly([planItem({ command: 17, ...at(5, 0), z: 10 })]);
  endless.wait(60);
  expect(endless.flight.run.state).toBe("running");
});

test("a plan that is replaced in flight continues at the same item number", () => {
  const stepped = fly([planItem({ ...at(30, 0), z: 10 }), planItem({ ...at(60, 0), z: 10 })]);
  stepped.wait(7);
  expect(stepped.flight.run.seq).toBe(3);
  expect(stepped.command(176, { _param1: 1, _param2: 4 })).toBe(0);
  load(stepped, [placeholder, takeoff, planItem({ ...at(0, 50), z: 10 }), planItem({ ...at(0, 90), z: 10 })]);
  expect(stepped.command(176, { _param1: 1, _param2: 3 })).toBe(0);
  expect(stepped.flight.run.seq).toBe(3);
});

test("a disarm resets the plan to its first item", () => {
  const stepped = fly([planItem({ ...at(30, 0), z: 10 }), planItem({ ...at(60, 0), z: 10 })]);
  stepped.wait(12);
  stepped.flight.disarm();
  expect(stepped.flight.run).toMatchObject({ state: "idle", seq: 1 });
});

test("a takeoff spools up the motors first, and may be repeated until it climbs", () => {
  const stepped = new SteppedVehicle();
  stepped.command(176, { _param1: 1, _param2: 4 });
  stepped.command(400, { _param1: 1 });
  expect(stepped.command(22, { _param7: 10 })).toBe(0);
  stepped.wait(0.5);
  expect(stepped.flight.landed).toBe(true);
  expect(stepped.command(22, { _param7: 10 })).toBe(0);
  stepped.wait(2);
  expect(stepped.flight.landed).toBe(false);
  // A repeat that comes late, because its acknowledgement was lost, is refused though all is well.
  expect(stepped.command(22, { _param7: 10 })).toBe(4);
});
