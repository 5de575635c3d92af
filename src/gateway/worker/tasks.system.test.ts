import {
  FakeMailer,
  type FlightWithAsset,
  flightWithAsset,
  picture,
  runJobKilledAt,
  type TestAsset,
  video,
} from "../../testing/programs/killed-jobs";
import { KilledError, KilledProcess } from "../../testing/programs/killed-process";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { composeTasks } from "./tasks";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});

/** A step that no job comes to. */
const END = Number.POSITIVE_INFINITY;

const row = (table: string, where: object) => gateway.deps.db(table).where(where).first();
const exists = async (key: string) => (await gateway.deps.store.head(key)) !== undefined;
const playable = ({ vehicle, asset }: FlightWithAsset) => `assets/${vehicle}/${asset}/derived/hls/`;
const thumbnail = ({ vehicle, asset }: FlightWithAsset) => `assets/${vehicle}/${asset}/derived/thumbnail.jpg`;

interface Job {
  readonly task: string;
  /** What the flight brought; a picture where it is all the same. */
  readonly upload?: TestAsset;
  payload(world: FlightWithAsset): object;
  prepare?(world: FlightWithAsset): Promise<unknown>;
  /** What must hold in the end, however often it was begun. */
  check(world: FlightWithAsset): Promise<void>;
}

const jobs: readonly Job[] = [
  {
    task: "send-report",
    payload: ({ execution }) => ({ execution_id: execution }),
    async check({ execution, mailer, user }) {
      expect((await row("executions", { id: execution })).report).toBe("sent");
      // A death between the server's yes and the record repeats a mail, under the same id.
      expect(mailer.mails.length).toBeLessThanOrEqual(2);
      expect(new Set(mailer.mails.map(({ to, messageId }) => `${to} ${messageId}`)).size).toBe(1);
      expect(mailer.mails[0]).toMatchObject({ to: user.username, messageId: expect.any(String) });
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
      const playlist = String(await gateway.deps.store.readSmall(`${playable(it)}index.m3u8`));
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
      expect(await gateway.deps.store.head(`archives/${execution}.zip`)).toMatchObject({
        size: Number(made.size),
      });
    },
  },
  {
    task: "join-record",
    payload: ({ asset, vehicle }) => ({ asset_id: asset, drone_id: vehicle }),
    prepare: async ({ asset, vehicle }) => {
      await gateway.deps.db("assets").where({ id: asset }).update({ record: "open", status: "pending" });
      for (const part of ["1", "2"])
        await gateway.deps.store.write(
          `assets/${vehicle}/${asset}/parts/${part}`,
          Buffer.from(part),
          "text/plain",
        );
    },
    async check({ asset, vehicle }) {
      expect(await row("assets", { id: asset })).toMatchObject({ record: "joined", status: "ready" });
      const { store } = gateway.deps;
      expect(String(await store.readSmall(`assets/${vehicle}/${asset}/a.png`))).toBe("12");
      expect(await store.list(`assets/${vehicle}/${asset}/parts/`)).toEqual([]);
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
    task: "remove-leftover",
    payload: () => ({}),
    prepare: async ({ asset }) => {
      const failed = { status: "failed", size: 4, url_expires_at: new Date(0) };
      await gateway.deps.db("assets").where({ id: asset }).update(failed);
    },
    async check({ asset }) {
      expect(await row("assets", { id: asset })).toMatchObject({ status: "failed", size: null });
    },
  },
  {
    task: "prune-commands",
    payload: () => ({}),
    prepare: ({ vehicle, user }) =>
      gateway.deps.db.raw(
        `INSERT INTO drone_commands (drone_id, user_id, command, parameters, outcome, requested_at)
         VALUES (?, ?, 'arm', '{}', 'accepted', now() - interval '401 days')`,
        [vehicle, user.id],
      ),
    async check({ vehicle }) {
      expect(await row("drone_commands", { drone_id: vehicle })).toBeUndefined();
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
      const it = await flightWithAsset(gateway, brought);
      await prepare?.(it);
      const killed = await runJobKilledAt(step, gateway, task, payload(it), it.mailer);
      if (killed.isKilled) killedBefore.push(killed.trace.at(-1) as string);
      // The next attempt. After the last step the worker was killed before the queue heard of the end.
      await runJobKilledAt(END, gateway, task, payload(it), it.mailer);
      await check(it);
      if (!killed.isKilled) break;
    }
    expect(killedBefore.length).toBeGreaterThan(0);
  },
  120_000,
);

test("this test kills a worker during every kind of job", async () => {
  const tasks = await composeTasks({ ...gateway.deps, mailer: new FakeMailer() });
  expect(jobs.map(({ task }) => task).sort()).toEqual(Object.keys(tasks).sort());
});

test("an archive that is requested again while it is made is ready after the last job", async () => {
  const it = await flightWithAsset(gateway, picture);
  const { store } = gateway.deps;
  const path = `/executions/${it.execution}/archive`;
  const payload = { execution_id: it.execution };
  const makeWhile = async (meanwhile: () => Promise<unknown>) => {
    const writing = jest.spyOn(store, "writeStream").mockImplementationOnce(async (...args) => {
      await meanwhile();
      return store.writeStream(...args);
    });
    try {
      await runJobKilledAt(END, gateway, "make-archive", payload);
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

test("a job that is killed at a step does nothing at that step and after it", async () => {
  const done: string[] = [];
  const interrupted = new KilledProcess(2).intercept(
    { note: async (text: string) => void done.push(text) },
    "notes",
  );
  await interrupted.note("first");
  expect(() => interrupted.note("second")).toThrow(KilledError);
  expect(() => interrupted.note("third")).toThrow(KilledError);
  expect(done).toEqual(["first"]);
});
