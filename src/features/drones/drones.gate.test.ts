import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { type Entitlement, saveSubscription } from "../billing";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});

const sitl = { type: "sitl", name: "Training copter", vehicle_type: "copter" };
const physical = { type: "physical", name: "Survey copter", vehicle_type: "copter" };

/** A user, and how to give them a subscription. */
async function newCustomer() {
  const { id, api } = await gateway.newUser();
  const subscribe = (vehicle_count: number, status: Entitlement["status"] = "active") =>
    saveSubscription(gateway.deps.db, id, { status, vehicle_count });
  return { id, api, subscribe };
}

describe("the vehicle gate", () => {
  test("without a subscription one simulated drone is free and no more", async () => {
    const { api } = await newCustomer();
    expect((await api.post("/drone", sitl)).status).toBe(201);
    expect(await api.post("/drone", sitl)).toMatchObject({
      status: 402,
      body: { error: expect.stringMatching(/Subscribe.*\(vehicle_limit_reached\)$/) },
    });
    expect(await api.post("/drone", physical)).toMatchObject({
      status: 402,
      body: { error: expect.stringMatching(/\(no_subscription\)$/) },
    });
  });

  test("a lapsed subscription refuses more and leaves what is there", async () => {
    const { api, subscribe } = await newCustomer();
    await subscribe(1);
    await api.post("/drone", physical);
    await subscribe(1, "past_due");
    expect(await api.post("/drone", physical)).toMatchObject({
      status: 402,
      body: { error: expect.stringMatching(/\(subscription_inactive\)$/) },
    });
    expect((await api.post("/drone", sitl)).status).toBe(201);
    expect((await api.get("/drones")).body).toHaveLength(2);
  });

  test("a deleted drone makes room for another", async () => {
    const { api } = await newCustomer();
    const first = (await api.post("/drone", sitl)).body;
    await api.delete(`/drone/${first.id}`);
    expect((await api.post("/drone", sitl)).status).toBe(201);
  });

  test.each([
    ["simulated", sitl, 4],
    ["physical", physical, 3],
  ])("sixteen concurrent requests for %s drones stay within it", async (_kind, input, limit) => {
    const { api, subscribe } = await newCustomer();
    await subscribe(3);
    const replies = await Promise.all(Array.from({ length: 16 }, () => api.post("/drone", input)));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(limit);
    expect(statuses.filter((status) => status === 402)).toHaveLength(16 - limit);
    const drones = (await api.get("/drones")).body as { ip: string }[];
    expect(new Set(drones.map(({ ip }) => ip)).size).toBe(limit);
  });

  test("twenty concurrent users get twenty addresses", async () => {
    const users = await Promise.all(Array.from({ length: 20 }, () => gateway.newUser()));
    const replies = await Promise.all(users.map((one) => one.api.post("/drone", sitl)));
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(new Set(replies.map(({ body }) => body.ip)).size).toBe(20);
  });

  test("concurrent changes of the type stay within it as well", async () => {
    const { api, subscribe } = await newCustomer();
    await subscribe(3);
    const made = await Promise.all(Array.from({ length: 4 }, () => api.post("/drone", sitl)));
    const replies = await Promise.all(
      made.map(({ body }) => api.put(`/drone/${body.id}`, { type: "physical" })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, 402]);
  });
});

test("concurrent creations, changes and deletions do not fail on each other", async () => {
  const { id, api, subscribe } = await newCustomer();
  await subscribe(4);
  const mission = (await api.post("/mission", { name: "Contended" })).body;
  // Together as many requests as a user may have under way.
  const made = await Promise.all(Array.from({ length: 3 }, () => api.post("/drone", sitl)));
  const ids = made.map(({ body }) => body.id as number);
  const replies = await Promise.all([
    ...ids.flatMap((id) => [
      api.put(`/drone/${id}`, { type: "physical" }),
      api.put(`/drone/${id}`, { mission_id: mission.id }),
      api.put(`/drone/${id}`, { type: "sitl" }),
    ]),
    api.delete(`/mission/${mission.id}`),
    api.delete(`/drone/${ids[0]}`),
    ...Array.from({ length: 4 }, () => api.post("/drone", sitl)),
    api.post("/mission", { name: "Beside" }),
  ]);
  // Each is done, or refused for what another did before: no room, no such drone or mission, still in use.
  expect(replies.filter(({ status }) => ![200, 201, 400, 402, 404].includes(status))).toEqual([]);
  const counts = await gateway.deps
    .db("drones")
    .where({ user_id: id, deleted_at: null })
    .groupBy("type")
    .select("type", gateway.deps.db.raw("count(*) as count"));
  for (const { type, count } of counts) expect(count).toBeLessThanOrEqual(type === "sitl" ? 5 : 4);
});
