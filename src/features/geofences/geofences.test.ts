import { storeGeofence } from "../../testing/worlds/plans";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { enabledGeofences, geofenceForUpload } from ".";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});

test("toggles at once are all counted", async () => {
  const { api } = await gateway.newUser();
  const { id } = await storeGeofence(api);
  const toggles = Array.from({ length: 9 }, () => api.patch(`/geofence/${id}/toggle`));
  const replies = await Promise.all(toggles);
  expect(replies.every(({ status }) => status === 200)).toBe(true);
  // Each is told of its own toggle: of nine from on, five switched off and four on again.
  expect(replies.filter(({ body }) => body.enabled)).toHaveLength(4);
  expect((await api.get(`/geofence/${id}`)).body.enabled).toBe(false);
});

test("only the user's enabled geofences are for the vehicle, each with its points in order", async () => {
  const { db } = gateway.deps;
  const user = await gateway.newUser();
  const otherUser = await gateway.newUser();
  const first = await storeGeofence(user.api, "first");
  const second = await storeGeofence(user.api, "second");
  const off = await storeGeofence(user.api, "off");
  await storeGeofence(otherUser.api, "theirs");
  await user.api.patch(`/geofence/${off.id}/toggle`);
  await user.api.patch(`/geofence/point/${second.points[0]?.id}`, { sequence: 9 });
  const enabled = await enabledGeofences(db, user.id);
  expect(enabled.map(({ id }) => id)).toEqual([first.id, second.id]);
  expect(enabled[1]?.geofence_points.map(({ sequence }) => sequence)).toEqual([2, 3, 9]);
});

test("an upload reads the user's geofence, enabled or not, and no other user's", async () => {
  const { db } = gateway.deps;
  const user = await gateway.newUser();
  const otherUser = await gateway.newUser();
  const { id } = await storeGeofence(user.api);
  const { body } = await user.api.patch(`/geofence/${id}/toggle`);
  expect(body.enabled).toBe(false);
  expect(await geofenceForUpload(db, user.id, id)).toEqual(body);
  await expect(geofenceForUpload(db, otherUser.id, id)).rejects.toMatchObject({ code: "not_found" });
});
