import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import type { Mail, Mailer } from "../platform/mail";
import { freshFolder } from "../testing";
import { Doom, Killed } from "../testing/doomed";
import { startTestGateway, type TestGateway, type TestUser } from "../testing/start-gateway";
import { droneClient, upload } from "../testing/uploads";
import { composeTasks } from "./tasks";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});

/** A fake mail server: it keeps what it takes. */
class MailBag implements Mailer {
  readonly mails: Mail[] = [];
  send = async (mail: Mail) => void this.mails.push(mail);
  close = () => undefined;
}

interface World {
  readonly user: TestUser;
  readonly vehicle: number;
  readonly execution: number;
  readonly asset: number;
  readonly bag: MailBag;
}

interface Upload {
  readonly file_name: string;
  readonly asset_type: string;
  content(): Promise<Buffer>;
}

const picture: Upload = {
  file_name: "a.png",
  asset_type: "image",
  content: () =>
    sharp({ create: { width: 64, height: 48, channels: 3, background: "#246" } })
      .png()
      .toBuffer(),
};

/** Nine seconds, which are several segments. */
const video: Upload = {
  file_name: "a.mp4",
  asset_type: "video",
  async content() {
    const file = join(freshFolder("video"), "a.mp4");
    const source = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=9"];
    const encoding = ["-c:v", "libx264", "-g", "10", "-pix_fmt", "yuv420p"];
    await promisify(execFile)("ffmpeg", ["-v", "error", ...source, ...encoding, file]);
    return readFile(file);
  },
};

/** A flight with one asset that has arrived. */
async function world({ file_name, asset_type, content }: Upload): Promise<World> {
  const user = await gateway.newUser();
  const { body } = await user.api.post("/drone", { type: "sitl", name: "Surveyor", vehicle_type: "copter" });
  const drone = droneClient(gateway.api, body.ip);
  const execution = (await drone.post("/executions/start", {})).body.id;
  const wish = { file_name, asset_type, execution_id: execution };
  const { asset_id } = await upload(drone, wish, await content());
  await drone.post(`/executions/${execution}/complete`, { status: "completed" });
  return { user, vehicle: body.id, execution, asset: asset_id, bag: new MailBag() };
}

/** Do the job in a process that dies before the given step; returns how far it came. */
async function work(task: string, payload: object, { bag }: World, dieAtStep: number): Promise<Doom> {
  const doom = new Doom(dieAtStep);
  const { deps } = gateway;
  const tasks = await composeTasks({
    ...deps,
    db: doom.on(deps.db, "database"),
    store: doom.on(deps.store, "store"),
    mailer: doom.on(bag, "mail"),
  });
  const done = tasks[task]?.(payload, new AbortController().signal);
  await done?.catch((error: unknown) => {
    if (!doom.struck) throw error;
  });
  return doom;
}

const row = (table: string, where: object) => gateway.deps.db(table).where(where).first();
const exists = async (key: string) => (await gateway.deps.store.sizeOf(key)) !== undefined;
const playable = ({ vehicle, asset }: World) => `assets/${vehicle}/${asset}/derived/hls/`;
const thumbnail = ({ vehicle, asset }: World) => `assets/${vehicle}/${asset}/derived/thumbnail.jpg`;

interface Job {
  readonly task: string;
  /** What the flight brought; a picture where it is all the same. */
  readonly upload?: Upload;
  payload(world: World): object;
  prepare?(world: World): Promise<unknown>;
  /** What must hold in the end, however often it was begun. */
  check(world: World): Promise<void>;
}

const jobs: readonly Job[] = [
  {
    task: "send-report",
    payload: ({ execution }) => ({ execution_id: execution }),
    async check({ execution, bag, user }) {
      expect((await row("executions", { id: execution })).report).toBe("sent");
      // A death between the server's yes and the record repeats a mail, under the same id.
      expect(bag.mails.length).toBeLessThanOrEqual(2);
      expect(new Set(bag.mails.map(({ to, messageId }) => `${to} ${messageId}`)).size).toBe(1);
      expect(bag.mails[0]).toMatchObject({ to: user.username, messageId: expect.any(String) });
    },
  },
  {
    task: "report-deadline",
    payload: ({ execution }) => ({ execution_id: execution }),
    prepare: async ({ execution }) => {
      await gateway.deps.db("executions").where({ id: execution }).update({ report: "pending" });
      await gateway.deps.db.raw("DELETE FROM graphile_worker._private_jobs");
    },
    async check({ execution }) {
      expect((await row("executions", { id: execution })).report).toBe("queued");
      const due = await gateway.deps.db("graphile_worker.jobs").where({ task_identifier: "send-report" });
      expect(due).toHaveLength(1);
    },
  },
  {
    task: "make-thumbnail",
    payload: ({ asset }) => ({ asset_id: asset }),
    async check(it) {
      expect(await row("assets", { id: it.asset })).toMatchObject({ thumbnail: true });
      expect(await exists(thumbnail(it))).toBe(true);
    },
  },
  {
    task: "package-video",
    upload: video,
    payload: ({ asset }) => ({ asset_id: asset }),
    async check(it) {
      expect(await row("assets", { id: it.asset })).toMatchObject({ status: "ready", stream: "ready" });
      const playlist = await gateway.deps.store.readText(`${playable(it)}index.m3u8`);
      const segments = playlist.match(/^segment-.*$/gm) ?? [];
      expect(segments.length).toBeGreaterThan(1);
      for (const segment of segments) expect(await exists(playable(it) + segment)).toBe(true);
    },
  },
  {
    task: "make-archive",
    payload: ({ execution }) => ({ execution_id: execution }),
    prepare: ({ user, execution }) => user.api.post(`/executions/${execution}/archive`),
    async check({ execution }) {
      const made = await row("archives", { execution_id: execution });
      expect(made).toMatchObject({ status: "ready", made_revision: made.revision, error: null });
      expect(await gateway.deps.store.sizeOf(`archives/${execution}.zip`)).toBe(Number(made.size));
    },
  },
  {
    task: "remove-objects",
    payload: ({ vehicle, asset, execution }) => ({
      prefixes: [`assets/${vehicle}/${asset}/`, `archives/${execution}.zip`],
    }),
    async check({ vehicle, asset }) {
      expect(await exists(`assets/${vehicle}/${asset}/a.png`)).toBe(false);
    },
  },
  {
    task: "analyse-log",
    payload: ({ execution, asset }) => ({ execution_id: execution, asset_id: asset }),
    prepare: ({ execution, asset }) =>
      gateway.deps.db("flight_stats").insert({ execution_id: execution, asset_id: asset, status: "pending" }),
    async check({ execution }) {
      // A picture is no log, which is a finding like any other.
      expect(await row("flight_stats", { execution_id: execution })).toMatchObject({
        status: "failed",
        error: expect.any(String),
      });
    },
  },
];

test.each(jobs.map((job) => [job.task, job] as const))(
  "%s ends as one whole, before whichever of its steps the worker is killed",
  async (task, { upload: brought = picture, payload, prepare, check }) => {
    const killedBefore: string[] = [];
    for (let step = 1; ; step++) {
      const it = await world(brought);
      await prepare?.(it);
      const doom = await work(task, payload(it), it, step);
      if (doom.struck) {
        killedBefore.push(doom.trace.at(-1) as string);
        await work(task, payload(it), it, Number.POSITIVE_INFINITY);
      }
      // Killed once more after its last step, before the queue heard of the end.
      await work(task, payload(it), it, Number.POSITIVE_INFINITY);
      await check(it);
      if (!doom.struck) break;
    }
    expect(killedBefore.length).toBeGreaterThan(0);
  },
  120_000,
);

test("every job that there is dies in this test", async () => {
  const tasks = await composeTasks({ ...gateway.deps, mailer: new MailBag() });
  expect(jobs.map(({ task }) => task).sort()).toEqual(Object.keys(tasks).sort());
});

test("an archive that is asked for again and looked at while it is made is ready after the last job", async () => {
  const it = await world(picture);
  const { store } = gateway.deps;
  const path = `/executions/${it.execution}/archive`;
  const payload = { execution_id: it.execution };
  const makeWhile = async (meanwhile: () => Promise<unknown>) => {
    const writing = jest.spyOn(store, "writeStream").mockImplementationOnce(async (...args) => {
      await meanwhile();
      return store.writeStream(...args);
    });
    try {
      await work("make-archive", payload, it, Number.POSITIVE_INFINITY);
      expect(writing).toHaveBeenCalled();
    } finally {
      writing.mockRestore();
    }
  };
  await it.user.api.post(path);
  await makeWhile(() => it.user.api.post(path));
  await makeWhile(() => it.user.api.get(path));
  expect((await it.user.api.get(path)).body).toMatchObject({ status: "ready", url: expect.any(String) });
});

test("an archive whose job is begun again after the execution's deletion leaves no object", async () => {
  const it = await world(picture);
  const path = `/executions/${it.execution}`;
  await it.user.api.post(`${path}/archive`);
  await it.user.api.delete(path);
  const key = `archives/${it.execution}.zip`;
  await gateway.deps.store.write(key, "written before the worker was killed", "application/zip");
  await work("make-archive", { execution_id: it.execution }, it, Number.POSITIVE_INFINITY);
  expect(await exists(key)).toBe(false);
});

test("what is derived of an asset that is deleted meanwhile goes as well", async () => {
  const it = await world(picture);
  const { store, db } = gateway.deps;
  const write = jest.spyOn(store, "write").mockImplementationOnce(async (...args) => {
    await it.user.api.post(`/assets/${it.vehicle}/delete`, { ids: [it.asset] });
    return store.write(...args);
  });
  try {
    await work("make-thumbnail", { asset_id: it.asset }, it, Number.POSITIVE_INFINITY);
  } finally {
    write.mockRestore();
  }
  expect(await db("assets").where({ id: it.asset })).toEqual([]);
  expect(await exists(thumbnail(it))).toBe(false);
});

test("the stand-in for death does nothing at its step and after it", async () => {
  const done: string[] = [];
  const doomed = new Doom(2).on({ note: async (text: string) => void done.push(text) }, "notes");
  await doomed.note("first");
  expect(() => doomed.note("second")).toThrow(Killed);
  expect(() => doomed.note("third")).toThrow(Killed);
  expect(done).toEqual(["first"]);
});
