import type { ContractCase, ContractWorld } from "../../testing/contract";
import { droneClient, put, sha256, upload } from "../../testing/worlds/uploads";

const refusal = (code: number) => ({ status: code, body: { success: false, error: { code } } });

async function withVehicle({ user, anonymous }: ContractWorld) {
  const { body } = await user.api.post("/drone", { type: "sitl", name: "Eye", vehicle_type: "copter" });
  return { id: body.id as number, drone: droneClient(anonymous, body.ip) };
}

const log = { file_name: "flight.bin", asset_type: "logs" };

export const assetsContract: readonly ContractCase[] = [
  {
    route: "POST /authenticate_upload",
    title: "answers {success, url, asset_id} at the top level, and a plain PUT to the URL works",
    run: async (world) => {
      const { drone } = await withVehicle(world);
      const { status, body } = await drone.post("/authenticate_upload", log);
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { success: true, url: expect.stringMatching(/^http/), asset_id: expect.any(Number) },
      });
      expect(await put(body.url, "content")).toBe(200);
    },
  },
  {
    route: "POST /authenticate_upload",
    title:
      "answers 400 for a bad body, 401 to a caller that is not a drone, 409 for a file that was uploaded before",
    run: async (world) => {
      const { drone } = await withVehicle(world);
      for (const bad of [{}, { ...log, asset_type: "music" }, { ...log, checksum: "no sum" }])
        expect(await drone.post("/authenticate_upload", bad)).toMatchObject(refusal(400));
      expect(await world.anonymous.post("/authenticate_upload", log)).toMatchObject(refusal(401));
      expect(await world.user.api.post("/authenticate_upload", log)).toMatchObject(refusal(401));
      await upload(drone, log, "content");
      const again = await drone.post("/authenticate_upload", { ...log, checksum: sha256("content") });
      expect(again).toMatchObject(refusal(409));
    },
  },
  {
    route: "POST /complete_upload",
    title:
      "answers {success, asset_id, user_id, drone_id} at the top level; 404 for no asset, 400 for no content",
    run: async (world) => {
      const { id, drone } = await withVehicle(world);
      const { asset_id, completed } = await upload(drone, log, "content");
      expect(completed).toMatchObject({
        status: 200,
        body: { success: true, asset_id, user_id: world.user.id, drone_id: id },
      });
      expect(await drone.post("/complete_upload", { asset_id: 2_000_000_000 })).toMatchObject(refusal(404));
      const { body } = await drone.post("/authenticate_upload", { ...log, file_name: "never.bin" });
      const missing = await drone.post("/complete_upload", { asset_id: body.asset_id });
      expect(missing).toMatchObject(refusal(400));
    },
  },
  {
    route: "GET /assets/user",
    title: "answers the counts of each vehicle",
    run: async (world) => {
      const { id, drone } = await withVehicle(world);
      await upload(drone, log, "content");
      expect(await world.user.api.get("/assets/user")).toMatchObject({
        status: 200,
        body: {
          success: true,
          data: [{ vehicle_id: id, name: "Eye", video: 0, image: 0, logs: 1, total: 1 }],
        },
      });
      expect((await world.otherUser.api.get("/assets/user")).body.data).toEqual([]);
    },
  },
  {
    route: "GET /assets/:vehicle_id",
    title: "answers all assets of a vehicle; 403 for another's, 404 for none",
    run: async (world) => {
      const { id, drone } = await withVehicle(world);
      const { asset_id } = await upload(drone, log, "content");
      const { status, body } = await world.user.api.get(`/assets/${id}`);
      expect(status).toBe(200);
      expect(body.data).toMatchObject([{ id: asset_id, status: "ready", file_name: "flight.bin", size: 7 }]);
      expect(await world.otherUser.api.get(`/assets/${id}`)).toMatchObject(refusal(403));
      expect(await world.user.api.get("/assets/2000000000")).toMatchObject(refusal(404));
    },
  },
  {
    route: "GET /assets/video/:vehicle_id",
    title: "answers a vehicle's videos, and 404 when it has none",
    run: async (world) => {
      const { id, drone } = await withVehicle(world);
      await upload(drone, log, "content");
      expect(await world.user.api.get(`/assets/video/${id}`)).toMatchObject(refusal(404));
      const { asset_id } = await upload(drone, { file_name: "a.mp4", asset_type: "video" }, "some video");
      const { status, body } = await world.user.api.get(`/assets/video/${id}`);
      expect(status).toBe(200);
      expect(body.data.map((asset: { id: number }) => asset.id)).toEqual([asset_id]);
    },
  },
  {
    route: "GET /assets/:vehicle_id/video/:asset_id",
    title: "answers the playlist as a raw body, each segment a presigned URL; 404 until it is packaged",
    run: async (world) => {
      const { id, drone } = await withVehicle(world);
      const { asset_id } = await upload(drone, { file_name: "a.mp4", asset_type: "video" }, "some video");
      const path = `/assets/${id}/video/${asset_id}`;
      expect(await world.user.api.get(path)).toMatchObject(refusal(404));
      const { store, db } = world.gateway.deps;
      const folder = `assets/${id}/${asset_id}/derived/hls/`;
      const stored = '#EXTM3U\n#EXT-X-MAP:URI="init.mp4"\n#EXTINF:4.0,\nsegment-00000.ts\n#EXT-X-ENDLIST\n';
      await store.write(`${folder}index.m3u8`, stored, "application/vnd.apple.mpegurl");
      await store.write(`${folder}segment-00000.ts`, "first", "video/mp2t");
      await db("assets").where({ id: asset_id }).update({ stream: "ready" });
      const { status, headers, body } = await world.user.api.get(path);
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("application/vnd.apple.mpegurl");
      const lines = body.split("\n");
      expect(lines[1]).toMatch(/^#EXT-X-MAP:URI="http.*init\.mp4\?.*X-Amz-Signature=.*"$/);
      expect(await (await fetch(lines[3])).text()).toBe("first");
      expect(await world.otherUser.api.get(path)).toMatchObject(refusal(403));
    },
  },
  {
    route: "GET /assets/:vehicle_id/download/:asset_id",
    title: "answers {download_url, file_name, asset_type}; the URL gives the content",
    run: async (world) => {
      const { id, drone } = await withVehicle(world);
      const { asset_id } = await upload(drone, log, "content");
      const { status, body } = await world.user.api.get(`/assets/${id}/download/${asset_id}`);
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { success: true, file_name: "flight.bin", asset_type: "logs" },
      });
      expect(body.data.download_url).toBe(body.download_url);
      expect(await (await fetch(body.download_url)).text()).toBe("content");
      expect(await world.user.api.get(`/assets/${id}/download/2000000000`)).toMatchObject(refusal(404));
    },
  },
  {
    route: "POST /assets/:vehicle_id/delete",
    title: "deletes objects and rows; 400 for empty ids, 403 for another's vehicle",
    run: async (world) => {
      const { id, drone } = await withVehicle(world);
      const { asset_id } = await upload(drone, log, "content");
      const path = `/assets/${id}/delete`;
      expect(await world.user.api.post(path, { ids: [] })).toMatchObject(refusal(400));
      expect(await world.otherUser.api.post(path, { ids: [asset_id] })).toMatchObject(refusal(403));
      expect((await world.user.api.get(`/assets/${id}`)).body.data).toHaveLength(1);
      expect(await world.user.api.post(path, { ids: [asset_id] })).toMatchObject({
        status: 200,
        body: { success: true, data: { deleted: [asset_id] } },
      });
      expect((await world.user.api.get(`/assets/${id}`)).body.data).toEqual([]);
      const key = `assets/${id}/${asset_id}/flight.bin`;
      expect(await world.gateway.deps.store.head(key)).toBeUndefined();
    },
  },
];
