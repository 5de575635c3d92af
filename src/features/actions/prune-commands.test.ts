import { openDatabase } from "../../platform/postgres/db";
import { createLogger } from "../../platform/process/log";
import { atEndOfFile } from "../../testing/clean-up";
import { startTestGateway } from "../../testing/worlds/start-gateway";
import { droneClient } from "../../testing/worlds/uploads";
import { pruneCommandsTask } from "./prune-commands";

test("commands older than 400 days and a drone's oldest beyond its number are deleted in batches, and an archive is made all the same", async () => {
  const gateway = await startTestGateway({ WORKER_IN_PROCESS: "true" });
  const user = await gateway.newUser();
  const newDrone = async () =>
    (await user.api.post("/drone", { type: "sitl", name: "Copter", vehicle_type: "copter" })).body;
  const busy = await newDrone();
  const db = openDatabase(gateway.databaseUrl, { poolMax: 1 });
  atEndOfFile(() => db.destroy());
  const given = (drone: number, count: number, age: string) =>
    db.raw(
      `INSERT INTO drone_commands (drone_id, command, outcome, requested_at)
       SELECT ?, 'arm', 'accepted', now() - ?::interval + n * interval '1 second' FROM generate_series(1, ?) AS n`,
      [drone, age, count],
    );
  await given(busy.id, 25, "401 days");
  await given(busy.id, 60, "399 days");
  const { id: execution } = (await droneClient(gateway.api, busy.ip).post("/executions/start", {})).body;
  const drone = droneClient(gateway.api, busy.ip);
  await drone.post(`/executions/${execution}/complete`, { status: "completed" });

  let deletions = 0;
  db.on("query", ({ sql }: { sql: string }) => {
    if (/DELETE/.test(sql)) deletions++;
  });
  const prune = pruneCommandsTask(db, createLogger("test", "silent"), { days: 400, commands: 30, batch: 10 });
  await prune({}, new AbortController().signal);
  const kept = await db("drone_commands").where({ drone_id: busy.id }).orderBy("id").pluck("id");
  expect(kept).toHaveLength(30);
  expect(Number(kept[0])).toBe(56);
  // 25 rows by age and 30 by number, ten at a time.
  expect(deletions).toBe(3 + 4);
  expect(await user.api.get(`/executions/${execution}/archive`)).toMatchObject({ status: 200 });
});
