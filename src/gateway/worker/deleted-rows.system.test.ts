import { ListObjectsV2Command, type S3Client } from "@aws-sdk/client-s3";
import { openObjects } from "../../platform/objects/client";
import type { ObjectStore } from "../../platform/objects/object-store";
import { atEndOfFile } from "../../testing";
import {
  type FlightWithAsset,
  flightWithAsset,
  picture,
  runJobKilledAt,
  type TestAsset,
  video,
} from "../../testing/programs/killed-jobs";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";

let gateway: TestGateway;
let objects: S3Client;
beforeAll(async () => {
  gateway = await startTestGateway();
  objects = openObjects(gateway.deps.config);
  atEndOfFile(async () => objects.destroy());
});

const END = Number.POSITIVE_INFINITY;

/** What is in the store under a prefix. */
async function keysUnder(Prefix: string): Promise<string[]> {
  const Bucket = gateway.deps.config.S3_BUCKET;
  const { Contents = [] } = await objects.send(new ListObjectsV2Command({ Bucket, Prefix }));
  return Contents.map(({ Key }) => Key as string);
}

/** As it was queued, so that it says what the job is told and no more. */
async function queuedPayload(task: string): Promise<object> {
  const { rows } = await gateway.deps.db.raw(
    `SELECT payload FROM graphile_worker._private_jobs jobs JOIN graphile_worker._private_tasks tasks
     ON tasks.id = jobs.task_id WHERE tasks.identifier = ? ORDER BY jobs.id DESC LIMIT 1`,
    [task],
  );
  return rows[0].payload;
}

interface Job {
  readonly task: string;
  readonly brought: TestAsset;
  /** With which it writes its first object. */
  readonly writes: "write" | "writeStream";
  prepare?(world: FlightWithAsset): Promise<unknown>;
  delete(world: FlightWithAsset): Promise<unknown>;
  prefix(world: FlightWithAsset): string;
}

const deleteAsset = ({ user, vehicle, asset }: FlightWithAsset) =>
  user.api.post(`/assets/${vehicle}/delete`, { ids: [asset] });
const assetFolder = ({ vehicle, asset }: FlightWithAsset) => `assets/${vehicle}/${asset}/`;

/** Every job that writes objects. */
const jobs: readonly Job[] = [
  {
    task: "make-thumbnail",
    brought: picture,
    writes: "write",
    delete: deleteAsset,
    prefix: assetFolder,
  },
  {
    task: "package-video",
    brought: video,
    writes: "writeStream",
    delete: deleteAsset,
    prefix: assetFolder,
  },
  {
    task: "make-archive",
    brought: picture,
    writes: "writeStream",
    prepare: ({ user, execution }) => user.api.post(`/executions/${execution}/archive`),
    delete: ({ user, execution }) => user.api.delete(`/executions/${execution}`),
    prefix: ({ execution }) => `archives/${execution}.zip`,
  },
];

/** Have it deleted in the moment before the job's first object is written. */
function deletedBefore(writes: Job["writes"], remove: () => Promise<unknown>): jest.SpyInstance {
  const { store } = gateway.deps;
  const method = writes as keyof ObjectStore & Job["writes"];
  return jest.spyOn(store, method).mockImplementationOnce(async (...args: unknown[]) => {
    await remove();
    return (store[method] as (...args: unknown[]) => Promise<void>)(...args);
  });
}

test.each(jobs.map((job) => [job.task, job] as const))(
  "%s leaves no object of what is deleted while it works, before whichever of its steps the worker is killed",
  async (task, { brought, writes, prepare, delete: remove, prefix }) => {
    let killedAfterWriting = 0;
    for (let step = 1; ; step++) {
      const it = await flightWithAsset(gateway, brought);
      await prepare?.(it);
      const payload = await queuedPayload(task);
      const writing = deletedBefore(writes, () => remove(it));
      const killed = await runJobKilledAt(step, gateway, task, payload);
      const wrote = writing.mock.calls.length > 0;
      writing.mockRestore();
      if (!wrote) await remove(it);
      if (killed.isKilled) {
        if (wrote && (await keysUnder(prefix(it))).length > 0) killedAfterWriting++;
        // Killed once more while it clears up, and then not again.
        await runJobKilledAt(2, gateway, task, payload);
        await runJobKilledAt(END, gateway, task, payload);
      }
      expect(await keysUnder(prefix(it))).toEqual([]);
      if (!killed.isKilled) break;
    }
    expect(killedAfterWriting).toBeGreaterThan(0);
  },
  120_000,
);

test.each(["make-thumbnail", "package-video"])(
  "%s that an earlier version queued works, and ends when its asset is gone",
  async (task) => {
    const it = await flightWithAsset(gateway, task === "package-video" ? video : picture);
    const payload = { asset_id: it.asset };
    await runJobKilledAt(END, gateway, task, payload);
    expect((await keysUnder(`${assetFolder(it)}derived/`)).length).toBeGreaterThan(0);
    await deleteAsset(it);
    await runJobKilledAt(END, gateway, task, payload);
    expect(await keysUnder(assetFolder(it))).toEqual([]);
  },
);
