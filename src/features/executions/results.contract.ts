import { createPublicKey } from "node:crypto";
import { flight as loggedFlight, statsOf, trackOf } from "../../testing/analysed-logs";
import type { ContractCase } from "../../testing/contract";
import { flying, foreignAndMissing, refusal } from "../../testing/contract/execution-requests";
import { upload } from "../../testing/worlds/uploads";

/** Of what is made of an execution. */
export const resultsContract: readonly ContractCase[] = [
  {
    route: "POST /executions/:execution_id/analyze-log",
    title: "answers 400 without a readable log; 404 for another user's execution and for a missing one",
    run: async (world) => {
      const { drone, id } = await flying(world);
      const path = `/executions/${id}/analyze-log`;
      expect(await world.user.api.post(path)).toMatchObject(refusal(400));
      await upload(drone, { file_name: "a.bin", asset_type: "logs", execution_id: id }, "no real log");
      expect(await world.user.api.post(path)).toMatchObject(refusal(400));
      expect((await world.user.api.get(`/executions/${id}/flight-stats`)).body.data).toMatchObject({
        status: "failed",
        error: expect.any(String),
      });
      await foreignAndMissing(world, "POST", id, "/analyze-log");
    },
  },
  {
    route: "GET /executions/:execution_id/flight-stats",
    title: "answers 200 with the statistics, or 404 when there are none",
    run: async (world) => {
      const { id } = await flying(world);
      expect(await world.user.api.get(`/executions/${id}/flight-stats`)).toMatchObject(refusal(404));
      const stats = statsOf(loggedFlight().bytes);
      await world.gateway.deps
        .db("flight_stats")
        .insert({ execution_id: id, status: "ready", stats, analysed_at: new Date() });
      expect(await world.user.api.get(`/executions/${id}/flight-stats`)).toMatchObject({
        status: 200,
        body: {
          success: true,
          data: { execution_id: id, status: "ready", stats: { distance_m: stats.distance_m } },
        },
      });
      await foreignAndMissing(world, "GET", id, "/flight-stats");
    },
  },
  {
    route: "GET /executions/:execution_id/track",
    title: "answers 200 with the track that was made with the statistics, 404 when there are none",
    run: async (world) => {
      const { drone, id } = await flying(world);
      const path = `/executions/${id}/track`;
      expect(await world.user.api.get(path)).toMatchObject(refusal(404));
      const { bytes } = loggedFlight();
      const { asset_id } = await upload(
        drone,
        { file_name: "a.bin", asset_type: "logs", execution_id: id },
        bytes,
      );
      await world.user.api.post(`/executions/${id}/analyze-log`);
      expect(await world.user.api.get(path)).toMatchObject({
        status: 200,
        body: {
          success: true,
          data: { execution_id: id, asset_id, recorded: false, status: "ready", track: trackOf(bytes) },
        },
      });
      await foreignAndMissing(world, "GET", id, "/track");
    },
  },
  {
    route: "GET /executions/:execution_id/track",
    title: "answers 200 without a track while the log is read, and when the statistics are another release's",
    run: async (world) => {
      const { id } = await flying(world);
      const { db } = world.gateway.deps;
      await db("flight_stats").insert({ execution_id: id, status: "pending" });
      const path = `/executions/${id}/track`;
      const pending = { status: 200, body: { data: { status: "pending", analysed_at: null, track: null } } };
      expect(await world.user.api.get(path)).toMatchObject(pending);
      const stats = { status: "ready", stats: statsOf(loggedFlight().bytes), analysed_at: new Date() };
      await db("flight_stats").where({ execution_id: id }).update(stats);
      const track = JSON.stringify(trackOf(loggedFlight().bytes));
      await db("flight_tracks").insert({ execution_id: id, analysed_at: new Date(0), track });
      expect((await world.user.api.get(path)).body.data).toMatchObject({ status: "ready", track: null });
    },
  },
  {
    route: "GET /executions/:execution_id/archive",
    title: "answers {status, url, expires_at} and has it made when it is missing; 404 for another's",
    run: async (world) => {
      const { id } = await flying(world);
      expect(await world.user.api.get(`/executions/${id}/archive`)).toMatchObject({
        status: 200,
        body: { success: true, status: "pending", url: null, expires_at: null, data: { status: "pending" } },
      });
      const due = await world.gateway.deps.db("graphile_worker.jobs").where({ key: `make-archive:${id}` });
      expect(due).toHaveLength(1);
      await foreignAndMissing(world, "GET", id, "/archive");
    },
  },
  {
    route: "POST /executions/:execution_id/archive",
    title: "has the archive made anew; 404 for another's",
    run: async (world) => {
      const { id } = await flying(world);
      const { db } = world.gateway.deps;
      await world.user.api.get(`/executions/${id}/archive`);
      await db("archives").where({ execution_id: id }).update({ status: "ready", made_revision: 1, size: 3 });
      const ready = await world.user.api.get(`/executions/${id}/archive`);
      expect(ready.body).toMatchObject({
        status: "ready",
        url: expect.any(String),
        expires_at: expect.any(String),
      });
      expect((await world.user.api.post(`/executions/${id}/archive`)).body.status).toBe("pending");
      await foreignAndMissing(world, "POST", id, "/archive");
    },
  },
  {
    route: "GET /executions/archive-key",
    title: "answers the public key to anyone",
    run: async ({ anonymous }) => {
      const { status, body } = await anonymous.get("/executions/archive-key");
      expect(status).toBe(200);
      expect(body).toMatchObject({
        success: true,
        algorithm: "Ed25519",
        fingerprint: expect.stringMatching(/^\w{64}$/),
      });
      expect(createPublicKey(body.data.public_key).asymmetricKeyType).toBe("ed25519");
    },
  },
];
