import { ApiClient } from "../../testing/client";
import { gatewayProcess, meanwhile } from "../../testing/gateway-process";
import { startTestGateway, type TestGateway, type TestUser } from "../../testing/start-gateway";

const PICTURES = 10_000;

let beside: TestGateway;
beforeAll(async () => {
  beside = await startTestGateway();
}, 60_000);

/** A drone that brought so many pictures back, all of one execution. */
async function photographed({ id: userId, api }: TestUser, pictures: number) {
  const { body } = await api.post("/drone", { type: "sitl", name: "Eye", vehicle_type: "copter" });
  const { db } = beside.deps;
  const [execution] = await db("executions")
    .insert({ drone_id: body.id, user_id: userId, started_at: new Date() })
    .returning("id");
  await db.raw(
    `INSERT INTO assets (drone_id, user_id, execution_id, asset_type, file_name, status, thumbnail, size, url_expires_at)
    SELECT ?, ?, ?, 'image', 'DJI_' || n || '.jpg', 'ready', true, 1, now() FROM generate_series(1, ?) AS n`,
    [body.id, userId, execution.id, pictures],
  );
  return { vehicle: body.id as number, execution: execution.id as number };
}

test("ten thousand pictures are listed, and others are served meanwhile", async () => {
  const gateway = await gatewayProcess(beside);
  const [user, other] = [await beside.newUser(), await beside.newUser()];
  const { vehicle, execution } = await photographed(user, PICTURES);
  const probe = new ApiClient(gateway.url);
  const api = gateway.api.as(user.token);
  for (const [path, picturesOf] of [
    [`/assets/${vehicle}`, (data: unknown) => data],
    [`/executions/${execution}`, ({ assets }: { assets: unknown }) => assets],
  ] as const) {
    const asked = performance.now();
    const served = await meanwhile(probe, "/healthz", () =>
      meanwhile(gateway.api.as(other.token), "/missions", () => api.get(path)),
    );
    const took = performance.now() - asked;
    const { result: others, slowestMs, failed } = served;
    const listed = picturesOf(others.result.body.data) as { thumbnail_url: string }[];
    expect(listed).toHaveLength(PICTURES);
    expect(new Set(listed.map(({ thumbnail_url }) => thumbnail_url)).size).toBe(PICTURES);
    expect([failed, others.failed]).toEqual([0, 0]);
    // Nearly all of it is the signing of addresses.
    expect(slowestMs).toBeLessThan(took / 2);
    expect(others.slowestMs).toBeLessThan(took / 2);
  }
}, 120_000);
