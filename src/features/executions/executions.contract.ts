import type { ContractCase, ContractWorld } from "../../testing/contract";
import { flying, foreignAndMissing, foreignDrone, refusal } from "../../testing/contract/execution-requests";
import { droneClient, upload } from "../../testing/worlds/uploads";

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
    route: "GET /executions/:execution_id/plan",
    title: "answers 200 with the plan on board at the start, null when it was not read; 404 for another's",
    run: async (world) => {
      const { id } = await flying(world);
      const path = `/executions/${id}/plan`;
      const item = {
        command: 16,
        frame: 3,
        autocontinue: true,
        param1: 0,
        param2: 0,
        param3: 0,
        param4: null,
      };
      const stored = { ...item, is_current: false, x_lat: 47.1, y_long: 8.2, z_alt: 30 };
      const plan_hash = "df207c92363f4e4b029050033ec256109c516575db6a9842462d588988894a24";
      const change = (row: object) => world.gateway.deps.db("executions").where({ id }).update(row);
      await change({ plan_state: "unverified", plan_hash, plan_items: JSON.stringify([stored]) });
      const items = [{ ...item, lat: 47.1, lng: 8.2, altitude: 30 }];
      expect(await world.user.api.get(path)).toMatchObject({
        status: 200,
        body: { success: true, data: { plan_state: "unverified", plan_hash, items } },
      });
      await change({ plan_state: "unread", plan_hash: null, plan_items: null });
      expect((await world.user.api.get(path)).body.data).toEqual({
        plan_state: "unread",
        plan_hash: null,
        items: null,
      });
      await foreignAndMissing(world, "GET", id, "/plan");
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
