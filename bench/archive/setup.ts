import { fork } from "node:child_process";
import { generateKeyPairSync, randomFillSync } from "node:crypto";
import { once } from "node:events";
import { createReadStream, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createUser } from "../../src/features/accounts";
import { executionTasks } from "../../src/features/executions";
import { ObjectStore } from "../../src/platform/objects/object-store";
import { type Db, openDatabase } from "../../src/platform/postgres/db";
import { systemClock } from "../../src/platform/process/clock";
import { MailQuotas } from "../../src/platform/quotas/mail-quotas";
import { CleanupStack } from "../../src/testing/repository/cleanup-stack";
import { startBenchDatabase } from "../database";

export const FILES = 6;
export const MEGABYTES_EACH = 50;

export interface ArchiveBench {
  /** Holds the assets as plain files, `0.bin` and on. */
  readonly folder: string;
  readonly store: ObjectStore;
  /** Make the archive of all of them, anew. */
  makeArchive(): Promise<void>;
  clear(): Promise<void>;
}

/** An execution with its assets in a store, and the same files on disk for the baseline. */
export async function setUpArchiveBench(): Promise<ArchiveBench> {
  const stops = new CleanupStack();
  const clear = () => stops.clear();
  try {
    const { folder, url } = await startBenchDatabase(stops);
    const db = openDatabase(url, { poolMax: 2, name: "fleet-bench" });
    stops.add(() => db.destroy());
    const store = await storeInProcess(folder, stops);
    const execution_id = await fillExecution(db, store, folder);
    const key = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "der" });
    const tasks = executionTasks({
      config: { ARCHIVE_SIGNING_KEY: key.toString("base64"), PUBLIC_ORIGIN: "http://localhost" },
      db,
      store,
      mailQuotas: new MailQuotas({ take: async () => {}, giveBack: async () => {} }),
      mailer: { send: () => Promise.reject(new Error("no mail is sent here")), close: () => undefined },
      clock: systemClock,
    });
    const makeArchive = async () => {
      await db.raw(
        `INSERT INTO archives (execution_id) VALUES (?)
         ON CONFLICT (execution_id) DO UPDATE SET revision = archives.revision + 1`,
        [execution_id],
      );
      await tasks["make-archive"]?.({ execution_id }, new AbortController().signal);
    };
    return { folder, store, makeArchive, clear };
  } catch (error) {
    await clear();
    throw error;
  }
}

async function storeInProcess(folder: string, stops: CleanupStack): Promise<ObjectStore> {
  const child = fork(join(__dirname, "store-process.js"), [join(folder, "objects")]);
  stops.add(() => child.kill("SIGKILL"));
  const [S3_ENDPOINT] = (await once(child, "message")) as [string];
  const store = new ObjectStore({
    S3_ENDPOINT,
    S3_REGION: "us-east-1",
    S3_BUCKET: "fleet",
    S3_ACCESS_KEY_ID: "S3RVER",
    S3_SECRET_ACCESS_KEY: "S3RVER",
  });
  stops.add(() => store.close());
  return store;
}

async function fillExecution(db: Db, store: ObjectStore, folder: string): Promise<number> {
  const user = { username: "bench@example.com", password_hash: null, level: null, active: true } as const;
  const { id: user_id } = await createUser(db, user);
  const drone = { user_id, name: "bench", type: "sitl", vehicle_type: "copter", port: 5760 };
  const [{ id: drone_id }] = await db("drones").insert(drone).returning("id");
  const times = { started_at: new Date(), completed_at: new Date(), status: "completed" };
  const [{ id: execution_id }] = await db("executions")
    .insert({ drone_id, user_id, ...times })
    .returning("id");
  mkdirSync(join(folder, "files"));
  for (let n = 0; n < FILES; n++) {
    const file = join(folder, "files", `${n}.bin`);
    writeFileSync(file, randomFillSync(Buffer.alloc(MEGABYTES_EACH * 2 ** 20)));
    const asset = { drone_id, user_id, execution_id, asset_type: "video", file_name: `${n}.bin` };
    const [{ id }] = await db("assets")
      .insert({ ...asset, status: "ready", url_expires_at: new Date(), completed_at: new Date() })
      .returning("id");
    await store.writeStream(`assets/${drone_id}/${id}/${n}.bin`, createReadStream(file), "video/mp4");
  }
  return execution_id;
}
