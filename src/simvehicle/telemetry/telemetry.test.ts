import { SteppedVehicle } from "../../testing/worlds/stepped-vehicle";
import { common } from "../../vehicle/mavlink/wire/messages";

const REQUEST_MESSAGE = 512;
const [ACCEPTED, DENIED] = [0, 2];

const request = (stepped: SteppedVehicle, id: number) => stepped.command(REQUEST_MESSAGE, { _param1: id });
const positions = ({ sent }: SteppedVehicle) =>
  sent.filter((each) => each instanceof common.GlobalPositionInt);

test("PX4 refuses to send a position that it has sent, until it has a newer one", () => {
  const stepped = new SteppedVehicle({}, 0, "px4");
  const { MSG_ID } = common.GlobalPositionInt;
  expect([request(stepped, MSG_ID), request(stepped, MSG_ID)]).toEqual([ACCEPTED, DENIED]);
  expect(positions(stepped)).toHaveLength(1);
  stepped.wait(0.1);
  expect(request(stepped, MSG_ID)).toBe(ACCEPTED);
  stepped.vehicle.setConnected(true);
  stepped.wait(0.1);
  expect(positions(stepped)).toHaveLength(3);
  expect(request(stepped, MSG_ID)).toBe(DENIED);
  expect(request(stepped, common.VfrHud.MSG_ID)).toBe(ACCEPTED);
});

test("ArduPilot sends a position as often as it is asked to", () => {
  const stepped = new SteppedVehicle();
  const { MSG_ID } = common.GlobalPositionInt;
  expect([request(stepped, MSG_ID), request(stepped, MSG_ID)]).toEqual([ACCEPTED, ACCEPTED]);
});

test.each([
  ["px4", Number.NaN],
  ["ardupilot", 0],
] as const)("%s without a sensor of its airspeed reports %d", (autopilot, airspeed) => {
  const stepped = new SteppedVehicle({}, 0, autopilot);
  request(stepped, common.VfrHud.MSG_ID);
  const [hud] = stepped.sent.filter((each) => each instanceof common.VfrHud);
  expect(hud).toMatchObject({ airspeed, groundspeed: 0 });
});
