import { atEndOfFile } from "../../testing/clean-up";
import { simulatedDrone } from "../../testing/worlds/simulated-drone";
import { startTestGateway } from "../../testing/worlds/start-gateway";

test("orders beyond a drone's quota answer 429, those of an emergency and of other drones do not", async () => {
  const gateway = await startTestGateway({ QUOTA_ORDERS: "3" });
  const flown = async () => {
    const user = await gateway.newUser();
    const drone = await simulatedDrone(user.api);
    atEndOfFile(() => drone.stop());
    return (path: string, body: object = {}) =>
      user.api.post(`/drone/action/${path}`, { drone_id: drone.id, ...body });
  };
  const order = await flown();
  const setParam = { param_id: "FENCE_ACTION", value: 1 };
  for (let n = 0; n < 3; n++) expect(await order("set_param", setParam)).toMatchObject({ status: 200 });
  const recorded = () => gateway.deps.db("drone_commands").pluck("command");
  const before = await recorded();
  const refused = await order("set_param", setParam);
  expect(refused).toMatchObject({ status: 429, body: { error: expect.stringContaining("quota orders") } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await order("arm")).toMatchObject({ status: 429 });
  expect(await recorded()).toEqual(before);

  const emergency: [path: string, body?: object][] = [
    ["guided"],
    ["rtl"],
    ["set_mode", { mode_info: { custom_mode: "BRAKE" } }],
    ["set_mode", { mode_info: { custom_mode: "LOITER" } }],
    ["land"],
    ["disarm_drone"],
  ];
  for (const [path, body] of emergency) expect(await order(path, body)).toMatchObject({ status: 200 });
  const other = await flown();
  expect(await other("set_param", setParam)).toMatchObject({ status: 200 });
});
