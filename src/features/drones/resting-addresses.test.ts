import { startTestGateway } from "../../testing/worlds/start-gateway";

const sitl = { type: "sitl", name: "Copter", vehicle_type: "copter" };

test("a user who adds and deletes drones gets the longest resting address again, and leaves addresses to others", async () => {
  const gateway = await startTestGateway({ QUOTA_RESTING_ADDRESSES: "5" });
  const { db } = gateway.deps;
  // All of the range but 30 addresses is another users'.
  await db.raw(
    `INSERT INTO vpn_addresses (ip, range)
     SELECT '10.71.240.0'::inet + n, 'simulated' FROM generate_series(0, 4094 - 30) AS n`,
  );
  const { api } = await gateway.newUser();
  const got: string[] = [];
  for (let n = 0; n < 60; n++) {
    const { status, body } = await api.post("/drone", sitl);
    expect(status).toBe(201);
    got.push(body.ip);
    await api.delete(`/drone/${body.id}`);
  }
  expect(new Set(got).size).toBe(5);
  // Each in its turn.
  expect(got.slice(5)).toEqual(got.slice(0, -5));
  const { body } = await api.get("/user/quotas");
  expect(body.data).toContainEqual(
    expect.objectContaining({ quota: "resting_addresses", drone_id: null, used: 5, limit: 5 }),
  );
  const other = (await (await gateway.newUser()).api.post("/drone", sitl)).body;
  expect(got).not.toContain(other.ip);
});
