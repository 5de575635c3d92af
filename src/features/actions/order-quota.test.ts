import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { atEndOfFile } from "../../testing/clean-up";
import { eventually } from "../../testing/until";
import { simulatedDrone } from "../../testing/worlds/simulated-drone";
import { startTestGateway } from "../../testing/worlds/start-gateway";
import { saveSubscription } from "../billing";

test("orders beyond a drone's quota answer 429, those of an emergency and of other drones do not", async () => {
  const gateway = await startTestGateway({ QUOTA_ORDERS: "3" });
  const flown = async () => {
    const user = await gateway.newUser();
    const drone = await simulatedDrone(user.api);
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

test("another user's tries do not use up the quota of a drone's owner", async () => {
  const gateway = await startTestGateway({ QUOTA_ORDERS: "2" });
  const [owner, other] = [await gateway.newUser(), await gateway.newUser()];
  const drone = await simulatedDrone(owner.api);
  const setParam = { drone_id: drone.id, param_id: "FENCE_ACTION", value: 1 };
  const order = (user: typeof owner) => user.api.post("/drone/action/set_param", setParam);
  for (const status of [404, 404, 429]) expect(await order(other)).toMatchObject({ status });
  for (const status of [200, 200, 429]) expect(await order(owner)).toMatchObject({ status });
});

test("a pilot whose other drones do not answer lands one, and the same order to twenty drones is carried out", async () => {
  const silent = createServer((socket) => socket.on("error", () => {}).resume()).listen(0, "127.0.0.1");
  await once(silent, "listening");
  atEndOfFile(async () => void silent.close());
  const gateway = await startTestGateway({ LINK_CONNECT_TIMEOUT_MS: "4000" });
  const { api, id: userId } = await gateway.newUser();
  await saveSubscription(gateway.deps.db, userId, { status: "active", vehicle_count: 5 });
  const flying = await simulatedDrone(api);
  const link = { link_host: "127.0.0.1", port: (silent.address() as AddressInfo).port };
  const lost = (await api.post("/drone", { type: "sitl", name: "Lost", vehicle_type: "copter", ...link }))
    .body;
  const arm = { drone_id: lost.id };
  // More than may be under way.
  const underWay = Array.from({ length: 32 }, () => api.post("/drone/action/arm", arm));
  const setParam = { drone_id: flying.id, param_id: "FENCE_ACTION", value: 1 };
  await eventually("as many requests are under way as may be", async () =>
    api.post("/drone/action/set_param", setParam).then(({ status }) => status === 429),
  );
  const landings = Array.from({ length: 20 }, () => api.post("/drone/action/land", { drone_id: flying.id }));
  for (const { status } of await Promise.all(landings)) expect(status).toBe(200);
  const statuses = (await Promise.all(underWay)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([429, 500]));
});
