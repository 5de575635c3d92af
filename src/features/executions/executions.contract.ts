import { createPublicKey } from "node:crypto";
import { flight as loggedFlight, statsOf } from "../../testing/analysed-logs";
import type { ContractCase, ContractWorld } from "../../testing/contract";
import { droneClient, upload } from "../../testing/worlds/uploads";

const refusal = (code: number) => ({ status: code, body: { success: false, error: { code } } });

/** A drone of the case's user with an execution in progress. */
async function flying({ user, anonymous }: ContractWorld) {
  const { body } = await user.api.post("/drone", { type: "sitl", name: "Eye", vehicle_type: "copter" });
  const drone = droneClient(anonymous, body.ip);
  const started = await drone.post("/executions/start", {});
  return { vehicle: body.id as number, drone, started, id: started.body.id as number };
}

async function foreignDrone({ otherUser, anonymous }: ContractWorld) {
  const { body } = await otherUser.api.post("/drone", { type: "sitl", name: "Other", vehicle_type: "rover" });
  return droneClient(anonymous, body.ip);
}

const foreignAndMissing = async (
  { otherUser, user }: ContractWorld,
  method: string,
  id: number,
  rest: string,
  body?: unknown,
) => {
  expect(await otherUser.api.send(method, `/executions/${id}${rest}`, body)).toMatchObject(refusal(404));
  expect(await user.api.send(method, `/executions/2000000000${rest}`, body)).toMatchObject(refusal(404));
};

export const executionsContract: readonly ContractCase[] = [
  {
    route: "POST /executions/start",
    title:
      "answers 200 with the execution in progress; 404 when no drone has the address, 401 to anyone else",
    run: async (world) => {
      const { started, vehicle } = await flying(world);
      expect(started).toMatchObject({
        status: 200,
        body: { success: true, data: { drone_id: vehicle, user_id: world.user.id, status: "in_progress" } },
      });
      const unknown = droneClient(world.anonymous, "10.71.0.77");
      expect(await unknown.post("/executions/start", {})).toMatchObject(refusal(404));
      expect(await world.user.api.post("/executions/start", {})).toMatchObject(refusal(401));
    },
  },
  {
    route: "POST /executions/:execution_id/complete",
    title:
      "answers 200 with the ended execution; 400 for another status, 403 to another drone, 404 for a missing one",
    run: async (world) => {
      const { drone, id } = await flying(world);
      const path = `/executions/${id}/complete`;
      expect(await drone.post(path, { status: "done" })).toMatchObject(refusal(400));
      expect(await (await foreignDrone(world)).post(path, { status: "error" })).toMatchObject(refusal(403));
      const missing = await drone.post("/executions/2000000000/complete", { status: "error" });
      expect(missing).toMatchObject(refusal(404));
      expect(await drone.post(path, { status: "error", notes: "a motor failed" })).toMatchObject({
        status: 200,
        body: { success: true, data: { id, status: "error", notes: "a motor failed" } },
      });
    },
  },
  {
    route: "POST /executions/:execution_id/log",
    title:
      "attaches the log and analyses it in the background; 400 for another asset type, 403 to another drone",
    run: async (world) => {
      const { drone, id } = await flying(world);
      const { asset_id } = await upload(drone, { file_name: "a.bin", asset_type: "logs" }, "no real log");
      const path = `/executions/${id}/log`;
      expect(await (await foreignDrone(world)).post(path, { asset_id })).toMatchObject(refusal(403));
      expect(await drone.post(path, { asset_id: 2_000_000_000 })).toMatchObject(refusal(404));
      const image = await drone.post("/authenticate_upload", { file_name: "a.jpg", asset_type: "image" });
      expect(await drone.post(path, { asset_id: image.body.asset_id })).toMatchObject(refusal(400));
      expect(await drone.post(path, { asset_id })).toMatchObject({
        status: 200,
        body: { success: true, data: { execution_id: id, asset_id, status: "pending" } },
      });
      const { body } = await world.user.api.get(`/executions/${id}`);
      expect(body.data).toMatchObject({ log_asset_id: asset_id, assets: [{ id: asset_id }] });
    },
  },
  {
    route: "GET /executions/current",
    title: "answers 200 with the execution in progress, or null",
    run: async (world) => {
      const { drone, id } = await flying(world);
      expect(await drone.get("/executions/current")).toMatchObject({ status: 200, body: { data: { id } } });
      await drone.post(`/executions/${id}/complete`, { status: "completed" });
      expect(await drone.get("/executions/current")).toMatchObject({
        status: 200,
        body: { success: true, data: null },
      });
    },
  },
  {
    route: "GET /executions/vehicle/:drone_id",
    title: "answers a page of the vehicle's executions; 403 when it is not owned",
    run: async (world) => {
      const { vehicle, id } = await flying(world);
      const { status, body } = await world.user.api.get(`/executions/vehicle/${vehicle}?limit=5&offset=0`);
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { success: true, data: { executions: [{ id }], total: 1, limit: 5, offset: 0 } },
      });
      expect(await world.otherUser.api.get(`/executions/vehicle/${vehicle}`)).toMatchObject(refusal(403));
      expect(await world.user.api.get(`/executions/vehicle/${vehicle}?limit=0`)).toMatchObject(refusal(400));
    },
  },
  {
    route: "GET /executions",
    title: "answers a page of all of the user's executions",
    run: async (world) => {
      const { id } = await flying(world);
      expect(await world.user.api.get("/executions")).toMatchObject({
        status: 200,
        body: { success: true, data: { executions: [{ id }], total: 1, limit: 20, offset: 0 } },
      });
    },
  },
  {
    route: "GET /executions/:execution_id",
    title: "answers 200 with its assets; 404 for another user's and for a missing one",
    run: async (world) => {
      const { drone, id } = await flying(world);
      const { asset_id } = await upload(
        drone,
        { file_name: "a.bin", asset_type: "logs", execution_id: id },
        "log",
      );
      expect(await world.user.api.get(`/executions/${id}`)).toMatchObject({
        status: 200,
        body: { success: true, data: { id, assets: [{ id: asset_id, execution_id: id }] } },
      });
      await foreignAndMissing(world, "GET", id, "");
    },
  },
  {
    route: "DELETE /executions/:execution_id",
    title: "deletes it with its assets; 404 for another's and for none",
    run: async (world) => {
      const { vehicle, drone, id } = await flying(world);
      await upload(drone, { file_name: "a.bin", asset_type: "logs", execution_id: id }, "log");
      await foreignAndMissing(world, "DELETE", id, "");
      expect(await world.user.api.delete(`/executions/${id}`)).toMatchObject({
        status: 200,
        body: { success: true, data: { id } },
      });
      expect(await world.user.api.get(`/executions/${id}`)).toMatchObject(refusal(404));
      expect((await world.user.api.get(`/assets/${vehicle}`)).body.data).toEqual([]);
    },
  },
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
  {
    route: "POST /executions/:execution_id/send-report",
    title: "mails the report to the address; 400 for none, 404 for another's",
    run: async (world) => {
      const { id } = await flying(world);
      const path = `/executions/${id}/send-report`;
      const email = `${Math.random().toString(36).slice(2)}@example.com`;
      expect(await world.user.api.post(path, { email })).toMatchObject({
        status: 200,
        body: { success: true },
      });
      expect(world.gateway.mail.mails.filter(({ to }) => to.includes(email))).toHaveLength(1);
      expect(await world.user.api.post(path, { email: "nobody" })).toMatchObject(refusal(400));
      await foreignAndMissing(world, "POST", id, "/send-report", { email });
    },
  },
  {
    route: "GET /user/report-emails",
    title: "answers {email, extra_emails, all_recipients}",
    run: async ({ user }) => {
      expect(await user.api.get("/user/report-emails")).toMatchObject({
        status: 200,
        body: { success: true, email: user.username, extra_emails: "", all_recipients: [user.username] },
      });
    },
  },
  {
    route: "PUT /user/report-emails",
    title: "sets the extra addresses, and answers 400 for a bad one",
    run: async ({ user }) => {
      const extra_emails = "a@example.com, b@example.com";
      expect(await user.api.put("/user/report-emails", { extra_emails })).toMatchObject({
        status: 200,
        body: {
          all_recipients: [user.username, "a@example.com", "b@example.com"],
          unconfirmed_emails: ["a@example.com", "b@example.com"],
        },
      });
      for (const bad of ["no address", 7, undefined])
        expect(await user.api.put("/user/report-emails", { extra_emails: bad })).toMatchObject(refusal(400));
      expect((await user.api.get("/user/report-emails")).body.extra_emails).toBe(
        "a@example.com,b@example.com",
      );
      await user.api.put("/user/report-emails", { extra_emails: "" });
      expect((await user.api.get("/user/report-emails")).body.all_recipients).toEqual([user.username]);
    },
  },
  {
    route: "GET /report-emails/confirm/:token",
    title: "answers a page with a button, and confirms nothing",
    run: async ({ anonymous, user, gateway }) => {
      const path = await confirmationLink({ user, gateway });
      const page = await fetch(anonymous.base + path);
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(await page.text()).toContain('<form method="post">');
      expect((await user.api.get("/user/report-emails")).body.unconfirmed_emails).toHaveLength(1);
    },
  },
  {
    route: "POST /report-emails/confirm/:token",
    title: "confirms the address once; 401 the second time, and for another token",
    run: async ({ anonymous, user, gateway }) => {
      const path = await confirmationLink({ user, gateway });
      expect(await anonymous.post(path)).toMatchObject({
        status: 200,
        body: { message: expect.stringContaining("is confirmed") },
      });
      expect((await user.api.get("/user/report-emails")).body.unconfirmed_emails).toEqual([]);
      for (const again of [path, "/report-emails/confirm/none"])
        expect(await anonymous.post(again)).toMatchObject({
          status: 401,
          body: { error: expect.stringContaining("used already") },
        });
    },
  },
];

/** Below the base path; mailed to a new recipient of this user. */
async function confirmationLink({ user, gateway }: Pick<ContractWorld, "user" | "gateway">): Promise<string> {
  const email = `${Math.random().toString(36).slice(2)}@example.com`;
  await user.api.put("/user/report-emails", { extra_emails: email });
  const mail = gateway.mail.mails.find(({ to }) => to.includes(email));
  return new URL(mail?.links[0] ?? "").pathname.replace("/api/v1", "");
}
