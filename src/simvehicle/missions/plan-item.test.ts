import { planItem } from "../../testing/fakes/ground-station";
import { MissionResult, storedByArdupilot, storedByPx4 } from "./plan-item";

const kept = (fields: Parameters<typeof planItem>[0]) => {
  const result = storedByArdupilot(planItem(fields));
  if ("refused" in result) throw new Error(`refused: ${result.refused}`);
  return result.item;
};
const refusal = (fields: Parameters<typeof planItem>[0]) => {
  const result = storedByArdupilot(planItem(fields));
  return "refused" in result ? result.refused : undefined;
};

test("ArduPilot returns frame 6 as 3 and an absolute frame as 0", () => {
  expect(kept({ frame: 6 }).frame).toBe(3);
  expect(kept({ frame: 5 }).frame).toBe(0);
});

test("ArduPilot keeps a waypoint's delay in whole seconds and drops its other parameters", () => {
  const item = kept({ param1: 2.9, param2: 5, param3: 1, param4: 90 });
  expect([item.param1, item.param2, item.param3, item.param4]).toEqual([2, 0, 0, 0]);
});

test("ArduPilot drops frame and position of a return", () => {
  const item = kept({ command: 20, x: 473977420, y: 85455940, z: 30, param1: 1 });
  expect([item.frame, item.x, item.y, item.z, item.param1]).toEqual([0, 0, 0, 0, 0]);
});

test("ArduPilot returns a landing's yaw as the direction 1", () => {
  expect(kept({ command: 21, param4: 0 }).param4).toBe(1);
  expect(kept({ command: 21, param4: -2 }).param4).toBe(-1);
});

test("ArduPilot keeps heights in whole centimetres", () => {
  expect(kept({ z: 12.3456 }).z).toBeCloseTo(12.34, 5);
});

test("ArduPilot refuses an invalid item with the matching MAV_MISSION_RESULT", () => {
  expect(refusal({ command: 31_010 })).toBe(MissionResult.UNSUPPORTED);
  expect(refusal({ frame: 1 })).toBe(MissionResult.UNSUPPORTED_FRAME);
  expect(refusal({ x: 910_000_000 })).toBe(MissionResult.INVALID_PARAM5_X);
  expect(refusal({ y: 1_810_000_000 })).toBe(MissionResult.INVALID_PARAM6_Y);
  expect(refusal({ z: Number.NaN })).toBe(MissionResult.INVALID_PARAM7);
  expect(refusal({ param1: Number.NaN })).toBe(MissionResult.INVALID_PARAM1);
  // A yaw that is not given is no fault.
  expect(refusal({ param4: Number.NaN })).toBeUndefined();
});

test("ArduPilot keeps whole numbers, flags and directions in its bytes", () => {
  expect(kept({ command: 31, param1: 2, param2: 2.6, param4: 45 })).toMatchObject({
    ...{ param1: 0, param2: 2, param4: 1 },
  });
  expect(kept({ command: 19, param1: 1.7, param3: -30.5, param4: -90 })).toMatchObject({
    ...{ param1: 1, param3: -1, param4: 0 },
  });
  expect(kept({ command: 177, param1: 1.7, param2: 2.6 })).toMatchObject({ param1: 1, param2: 2 });
});

test("PX4 drops a pass radius, keeps flags of a loiter, and stores a delay as another command", () => {
  expect(storedByPx4(planItem({ param3: 3.4 }))).toMatchObject({ item: { param3: 0 } });
  expect(storedByPx4(planItem({ command: 19, param2: 2.6, param4: 45 }))).toMatchObject({
    item: { param2: 1, param4: 1 },
  });
  expect(storedByPx4(planItem({ command: 112, frame: 2, param1: 1.7 }))).toMatchObject({
    item: { command: 93, param1: 1.7 },
  });
  expect(storedByPx4(planItem({ command: 114, frame: 2 }))).toEqual({ refused: MissionResult.UNSUPPORTED });
});

test("PX4 keeps an item as it was sent", () => {
  const sent = planItem({ frame: 6, param2: 5, param4: Number.NaN, z: 12.3456 });
  expect(storedByPx4(sent)).toEqual({ item: sent });
});

test("ArduPilot keeps 256ths of a turn or whole ones, and metres of a radius or tens of them", () => {
  expect(kept({ command: 18, param1: 0.3, param3: -263 })).toMatchObject({ param1: 0.296875, param3: -260 });
  expect(kept({ command: 18, param1: 2.5, param3: 30.7 })).toMatchObject({ param1: 2, param3: 30 });
});

test("PX4 keeps yaws from 0 on, and refuses a position where the command has none", () => {
  expect(storedByPx4(planItem({ param4: -90 }))).toMatchObject({ item: { param4: 270 } });
  for (const command of [20, 178]) {
    expect(storedByPx4(planItem({ command, frame: 2, x: 473977420 }))).toEqual({
      refused: MissionResult.INVALID_PARAM5_X,
    });
    expect(storedByPx4(planItem({ command, frame: 2 }))).toHaveProperty("item");
  }
});

test("ArduPilot keeps bytes of a camera's shot and of a gimbal's mode, in their positions' place too", () => {
  expect(kept({ command: 203, param2: 2.6, param3: -30.5, param4: -90, x: 1, y: 258, z: 5 })).toMatchObject({
    ...{ param2: 2, param3: -30, param4: 166, x: 1, y: 2, z: 0 },
  });
  expect(kept({ command: 205, param1: -30.5, param4: 3, x: 7, y: 7, z: 20 })).toMatchObject({
    ...{ param1: -30.5, param4: 0, x: 0, y: 0, z: 4 },
  });
});
