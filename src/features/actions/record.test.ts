import { openDatabase } from "../../platform/postgres/db";
import { atEndOfFile } from "../../testing";
import { freshDatabase } from "../../testing/fresh-database";
import { eventually } from "../../testing/until";
import { interruptibleLink } from "../../testing/worlds/interruptible-link";
import { tappedDrone } from "../../testing/worlds/replicas";

import { startTestGateway } from "../../testing/worlds/start-gateway";

/** MAV_CMD numbers. */
const [NAV_TAKEOFF, DO_SET_MODE] = [22, 176];

test.each(["cut", "stall"] as const)(
  "an order that was carried out while the database was away (%s) is answered at once, and on record when it is back",
  async (fault) => {
    const { url } = await freshDatabase();
    const networkLink = await interruptibleLink(url);
    const gateway = await startTestGateway({ DATABASE_URL: networkLink.url });
    const db = openDatabase(url, { poolMax: 1 });
    atEndOfFile(() => db.destroy());
    const user = await gateway.newUser();
    const { api } = user;
    const drone = await tappedDrone(user);
    drone.tap.withholdAcknowledgements = true;
    const asked = api.post("/drone/action/arm", { drone_id: drone.id });
    await eventually("the order is at the vehicle", () => drone.vehicle.state.armed);
    networkLink[fault]();
    drone.tap.withholdAcknowledgements = false;
    const answeredAt = asked.then(() => performance.now());
    const releasedAt = performance.now();
    expect(await asked).toMatchObject({ status: 200 });
    // The vehicle is asked again after a second or more, and the record may hold up the answer for one.
    expect((await answeredAt) - releasedAt).toBeLessThan(8_000);
    const outcome = async () => (await db("drone_commands").where({ drone_id: drone.id }).first()).outcome;
    expect(await outcome()).toBe("pending");
    networkLink.mend();
    await eventually("the record is finished", async () => (await outcome()) === "accepted");
  },
);

test("a takeoff whose link is lost while guided mode is entered is reported and recorded as not sent", async () => {
  const gateway = await startTestGateway();
  const { api } = await gateway.newUser();
  const drone = await tappedDrone({ api });
  const order = { drone_id: drone.id };
  expect(await api.post("/drone/action/arm", order)).toMatchObject({ status: 200 });
  drone.tap.withholdAcknowledgements = true;
  const asked = api.post("/drone/action/takeoff", { ...order, altitude: 10 });
  await eventually("the mode is ordered", () => drone.tap.orders.includes(DO_SET_MODE));
  await drone.stop();
  const orderReply = await asked;
  expect(orderReply).toMatchObject({
    status: 500,
    body: { error: expect.stringMatching(/^The order to take off was not sent/) },
  });
  const [record] = await gateway.deps.db("drone_commands").where({ ...order, command: "takeoff" });
  expect(record).toMatchObject({ outcome: "failed", error: orderReply.body.error });
  expect(drone.tap.orders).not.toContain(NAV_TAKEOFF);
});

test("an order whose answer was lost is marked as unknown for clients, a refused one is not", async () => {
  const gateway = await startTestGateway();
  const { api } = await gateway.newUser();
  const drone = await tappedDrone({ api });
  const order = { drone_id: drone.id };
  const refused = await api.post("/drone/action/takeoff", { ...order, altitude: 10 });
  expect([refused.status, refused.headers.get("x-outcome")]).toEqual([500, null]);
  drone.tap.withholdAcknowledgements = true;
  const asked = api.post("/drone/action/arm", order);
  await eventually("the order is at the vehicle", () => drone.vehicle.state.armed);
  await drone.stop();
  const { status, headers } = await asked;
  expect([status, headers.get("x-outcome")]).toEqual([500, "unknown"]);
  const outcomes = await gateway.deps.db("drone_commands").where(order).orderBy("id").pluck("outcome");
  expect(outcomes).toEqual(["failed", "unknown"]);
});
