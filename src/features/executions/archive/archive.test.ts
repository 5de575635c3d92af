import { createHash, createPublicKey, generateKeyPairSync } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Entry, open } from "yauzl";
import { ZipFile } from "yazl";
import { freshFolder } from "../../../testing";
import { until } from "../../../testing/until";
import { startTestGateway, type TestGateway } from "../../../testing/worlds/start-gateway";
import { droneClient, upload } from "../../../testing/worlds/uploads";
import { verifyArchive } from "./verify-archive";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ WORKER_IN_PROCESS: "true" });
});

async function flown(names: readonly string[]) {
  const user = await gateway.newUser();
  const { body } = await user.api.post("/drone", { type: "sitl", name: "Surveyor", vehicle_type: "copter" });
  const drone = droneClient(gateway.api, body.ip);
  const id = (await drone.post("/executions/start", {})).body.id as number;
  for (const file_name of names)
    await upload(drone, { file_name, asset_type: "logs", execution_id: id }, `content of ${file_name}`);
  await drone.post(`/executions/${id}/complete`, { status: "completed" });
  return { user, drone, id, vehicle: body.id as number };
}

async function archiveOf({ user, id }: Awaited<ReturnType<typeof flown>>) {
  const ready = await until(async () => {
    const { body } = await user.api.get(`/executions/${id}/archive`);
    return body.status === "ready" && body;
  });
  return ready as { url: string; size: number; sha256: string; expires_at: string };
}

async function download(url: string): Promise<string> {
  const file = join(freshFolder("archive"), "archive.zip");
  const { body } = await fetch(url);
  await pipeline(Readable.fromWeb(body as never), createWriteStream(file));
  return file;
}

const publicKey = async () =>
  createPublicKey((await gateway.api.get("/executions/archive-key")).body.public_key);

/** Every entry's name and content. */
function unzip(file: string): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) =>
    open(file, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      const found = new Map<string, Buffer>();
      zip.on("entry", (entry: Entry) =>
        zip.openReadStream(entry, async (_error, stream) => {
          found.set(entry.fileName, Buffer.concat(await stream.toArray()));
          zip.readEntry();
        }),
      );
      zip.once("end", () => resolve(found));
      return zip.readEntry();
    }),
  );
}

/** The archive with some entries changed, added (`undefined` before) or taken out (`undefined` after). */
async function altered(file: string, change: Readonly<Record<string, string | undefined>>): Promise<string> {
  const entries = new Map<string, Buffer | undefined>(await unzip(file));
  for (const [name, text] of Object.entries(change))
    entries.set(name, text === undefined ? undefined : Buffer.from(text));
  const zip = new ZipFile();
  for (const [name, content] of entries) if (content) zip.addBuffer(content, name);
  zip.end();
  const to = join(freshFolder("altered"), "altered.zip");
  await pipeline(zip.outputStream as Readable, createWriteStream(to));
  return to;
}

test("an archive holds the assets, the execution's data, and a signed manifest of all files", async () => {
  const long = `${"長".repeat(1_020)}.bin`;
  const flight = await flown(["log.bin", "../../escape.bin", "飛行.bin", long]);
  const archive = await archiveOf(flight);
  const file = await download(archive.url);
  expect((await readFile(file)).length).toBe(archive.size);
  const verdict = await verifyArchive(file, await publicKey());
  expect(verdict.faults).toEqual([]);
  const entries = await unzip(file);
  const names = [...entries.keys()];
  expect(names.filter((name) => name.includes("..") || name.startsWith("/"))).toEqual([]);
  expect(names).toEqual(
    expect.arrayContaining([
      "execution.json",
      "mission.json",
      "commands.json",
      "stats.json",
      "manifest.json",
    ]),
  );
  const contents = names
    .filter((name) => name.startsWith("assets/"))
    .map((name) => entries.get(name)?.toString());
  expect(contents.sort()).toEqual(
    ["content of ../../escape.bin", "content of log.bin", "content of 飛行.bin", `content of ${long}`].sort(),
  );
  // Most systems accept file names of this length.
  for (const name of names) expect(Buffer.byteLength(name.split("/").at(-1) as string)).toBeLessThan(256);
  const execution = JSON.parse(entries.get("execution.json")?.toString() ?? "");
  expect(execution).toMatchObject({ id: flight.id, status: "completed", drone: { name: "Surveyor" } });
});

test("verification names what was altered, added, taken out, or signed by another", async () => {
  const file = await download((await archiveOf(await flown(["log.bin"]))).url);
  const key = await publicKey();
  const faults = async (change: Record<string, string | undefined>) =>
    (await verifyArchive(await altered(file, change), key)).faults;
  const log = [...(await unzip(file)).keys()].find((name) => name.endsWith("log.bin")) as string;
  expect(await faults({})).toEqual([]);
  expect(await faults({ [log]: "another flight" })).toEqual([`${log} was altered.`]);
  expect(await faults({ "assets/99/added.jpg": "planted" })).toEqual(["assets/99/added.jpg was added."]);
  expect(await faults({ "commands.json": undefined })).toEqual(["commands.json is missing."]);
  expect(await faults({ "manifest.json.sig": undefined })).toEqual(["manifest.json.sig is missing."]);
  const manifest = (await unzip(file)).get("manifest.json")?.toString() ?? "";
  const forged = manifest.replace(/"sha256": "[0-9a-f]{8}/, '"sha256": "00000000');
  expect((await faults({ "manifest.json": forged }))[0]).toMatch(
    /^manifest\.json is not signed with the key/,
  );
  const other = generateKeyPairSync("ed25519").publicKey;
  expect((await verifyArchive(file, other)).faults).toEqual([expect.stringContaining("is not signed with")]);
  const cut = join(freshFolder("cut"), "cut.zip");
  await copyFile(file, cut);
  await writeFile(cut, (await readFile(cut)).subarray(0, 200));
  expect((await verifyArchive(cut, key)).faults).toEqual([
    expect.stringMatching(/^This is not a readable zip/),
  ]);
});

test("a manifest or signature that cannot be read is named", async () => {
  const file = await download((await archiveOf(await flown([]))).url);
  const bytes = await readFile(file);
  // The signature is the last that the list of files names; no such way of packing exists.
  bytes.writeUInt16LE(99, bytes.lastIndexOf("PK\u0001\u0002") + 10);
  await writeFile(file, bytes);
  const { faults } = await verifyArchive(file, await publicKey());
  expect(faults).toEqual([expect.stringMatching(/^manifest\.json\.sig cannot be read: .*99/)]);
});

test("an archive requested again during its making is made afterwards, not at the same time", async () => {
  const { db } = gateway.deps;
  const jobs = async (which: string): Promise<number[]> => {
    const { rows } = await db.raw(
      `SELECT (payload->>'execution_id')::int AS id FROM graphile_worker._private_jobs WHERE ${which}`,
    );
    return rows.map(({ id }: { id: number }) => id);
  };
  const [flight, other] = [await flown(["a.bin"]), await flown(["b.bin"])];
  const ask = ({ user, id }: typeof flight) => user.api.post(`/executions/${id}/archive`);
  // Their reports read the table that is locked now as well.
  await until(async () => (await jobs("run_at <= now()")).length === 0);
  const held = await db.transaction();
  try {
    await held.raw("LOCK TABLE flight_stats IN ACCESS EXCLUSIVE MODE");
    await ask(flight);
    await until(async () => (await jobs("locked_at IS NOT NULL")).length === 1);
    await ask(flight);
    await ask(other);
    await until(async () => (await jobs("locked_at IS NOT NULL")).length === 2);
    expect((await jobs("locked_at IS NOT NULL")).toSorted((a, b) => a - b)).toEqual([flight.id, other.id]);
  } finally {
    await held.rollback();
  }
  expect((await archiveOf(flight)).sha256).toMatch(/^[0-9a-f]{64}$/);
});

test("an entry that would escape its folder is a fault", async () => {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from("outside"), "aa/passwd");
  zip.end();
  const bytes = Buffer.concat(await (zip.outputStream as Readable).toArray());
  const file = join(freshFolder("escape"), "escape.zip");
  await writeFile(file, Buffer.from(bytes.toString("latin1").replaceAll("aa/passwd", "../passwd"), "latin1"));
  const { faults } = await verifyArchive(file, await publicKey());
  expect(faults[0]).toMatch(/cannot be read.*\.\.\/passwd/);
});

test("a later upload puts the archive out of date; a missing one is listed with the reason", async () => {
  const flight = await flown(["one.bin"]);
  const first = await archiveOf(flight);
  await upload(
    flight.drone,
    { file_name: "two.bin", asset_type: "logs", execution_id: flight.id },
    "the second",
  );
  const never = { file_name: "never.bin", asset_type: "logs", execution_id: flight.id };
  await flight.drone.post("/authenticate_upload", never);
  const second = await archiveOf(flight);
  expect(second.sha256).not.toBe(first.sha256);
  const { manifest } = await verifyArchive(await download(second.url), await publicKey());
  expect(manifest?.files.filter(({ path }) => path.endsWith("two.bin"))).toHaveLength(1);
  expect(manifest?.missing).toMatchObject([{ file_name: "never.bin", reason: "It was not uploaded." }]);
});

test("an archive made during the flight is out of date once the flight has ended", async () => {
  const user = await gateway.newUser();
  const { body } = await user.api.post("/drone", { type: "sitl", name: "Early", vehicle_type: "copter" });
  const drone = droneClient(gateway.api, body.ip);
  const id = (await drone.post("/executions/start", {})).body.id as number;
  const flight = { user, drone, id, vehicle: body.id as number };
  await archiveOf(flight);
  await drone.post(`/executions/${id}/complete`, { status: "aborted", notes: "wind" });
  const entries = await unzip(await download((await archiveOf(flight)).url));
  expect(JSON.parse(String(entries.get("execution.json")))).toMatchObject({
    status: "aborted",
    notes: "wind",
  });
});

test("a file that was replaced after its upload is missing from the archive, with the reason", async () => {
  const flight = await flown(["log.bin"]);
  const [asset] = (await flight.user.api.get(`/assets/${flight.vehicle}`)).body.data;
  await gateway.deps.store.write(`assets/${flight.vehicle}/${asset.id}/log.bin`, "overwritten", "text/plain");
  const { faults, manifest } = await verifyArchive(
    await download((await archiveOf(flight)).url),
    await publicKey(),
  );
  expect(faults).toEqual([]);
  expect(manifest?.missing).toEqual([
    { asset_id: asset.id, file_name: "log.bin", reason: "It was replaced in the store after its upload." },
  ]);
});

test("a deleted execution leaves no archive", async () => {
  const flight = await flown(["log.bin"]);
  await archiveOf(flight);
  const key = `archives/${flight.id}.zip`;
  expect((await gateway.deps.store.head(key))?.size).toBeGreaterThan(0);
  await flight.user.api.delete(`/executions/${flight.id}`);
  expect(await gateway.deps.store.head(key)).toBeUndefined();
});

test("the sum in the reply is that of the download", async () => {
  const archive = await archiveOf(await flown(["a.bin"]));
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(await download(archive.url))) hash.update(chunk);
  expect(hash.digest("hex")).toBe(archive.sha256);
});
