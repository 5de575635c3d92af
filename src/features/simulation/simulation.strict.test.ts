import { TEST_EDGE_SECRET } from "../../testing/access/user-objects";
import { startTestGateway } from "../../testing/worlds/start-gateway";
import { saveSubscription } from "../billing";

test("in the strict profile administrators and subscribers start and stop the instance, and others do not", async () => {
  const gateway = await startTestGateway({ ACCESS_PROFILE: "strict", EDGE_SECRET: TEST_EDGE_SECRET });
  const [customer, subscriber, admin] = [
    await gateway.newUser(),
    await gateway.newUser(),
    await gateway.newUser(),
  ];
  await gateway.deps.db("users").where({ id: admin.id }).update({ level: "ADMIN" });
  await saveSubscription(gateway.deps.db, subscriber.id, { status: "active", vehicle_count: 1 });
  for (const path of ["/simulator/start", "/simulator/stop"]) {
    expect(await customer.api.post(path)).toMatchObject({
      status: 403,
      body: { status: "error", error: expect.stringContaining("subscribers") },
    });
    // There is none here.
    for (const { api } of [subscriber, admin]) expect((await api.post(path)).status).toBe(400);
  }
  await saveSubscription(gateway.deps.db, subscriber.id, { status: "canceled", vehicle_count: 1 });
  expect((await subscriber.api.post("/simulator/stop")).status).toBe(403);
  expect((await customer.api.get("/simulator/status")).status).toBe(400);
});
