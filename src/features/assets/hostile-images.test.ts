import { crc32 } from "node:zlib";
import sharp from "sharp";
import { jobsOf } from "../../platform/jobs/jobs";
import { until } from "../../testing/until";
import { type Flight, startFlight } from "../../testing/worlds/flights";
import { startTestGateway, type TestGateway } from "../../testing/worlds/start-gateway";
import { upload } from "../../testing/worlds/uploads";

let gateway: TestGateway;
let flight: Flight;
beforeAll(async () => {
  gateway = await startTestGateway({ WORKER_IN_PROCESS: "true" });
  flight = await startFlight(gateway);
});

const SIDE = 16_380;
const small = (width = 640) => sharp({ create: { width, height: 480, channels: 3, background: "#246" } });

/** The SVG's filters, each the size of the picture, are 155 kB of text. */
function svgOfFilters(): Buffer {
  const filters = Array.from({ length: 3_000 }, (_, n) => `<feGaussianBlur stdDeviation="${n % 90}"/>`);
  const filter = `<filter id="f" width="9" height="9">${filters.join("\n            ")}</filter>`;
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000">${filter}<rect width="4000" height="4000" filter="url(#f)"/></svg>`,
  );
}

/** Its header says that it has 268 megapixels, for which a decoder takes memory before it reads further. */
async function hugeJpeg(): Promise<Buffer> {
  const jpeg = await small().jpeg({ progressive: true }).toBuffer();
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc2]));
  jpeg.writeUInt16BE(SIDE, frame + 5);
  jpeg.writeUInt16BE(SIDE, frame + 7);
  return jpeg;
}

async function hugePng(): Promise<Buffer> {
  const png = await small().png({ progressive: true }).toBuffer();
  png.writeUInt32BE(SIDE, 16);
  png.writeUInt32BE(SIDE, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
}

/** The asset once it has a thumbnail or the reason why it has none. */
async function derived(file_name: string, content: Buffer, { drone, user, vehicle } = flight) {
  const { asset_id, completed } = await upload(drone, { file_name, asset_type: "image" }, content);
  expect(completed.status).toBe(200);
  return until(async () => {
    const { body } = await user.api.get(`/assets/${vehicle.id}`);
    const asset = body.data.find(({ id }: { id: number }) => id === asset_id);
    return (asset.thumbnail_url ?? asset.derivation_failure) !== null && asset;
  }, 30_000);
}

test.each([
  ["an SVG with 3,000 filters that is named a JPEG", "filters.jpg", async () => svgOfFilters()],
  ["a progressive JPEG of 16,380²", "huge.jpg", hugeJpeg],
  ["an interlaced PNG of 16,380²", "huge.png", hugePng],
  ["a raw format of a camera", "DSC_1.nef", async () => Buffer.alloc(100_000, "raw")],
])("%s is kept, with the reason why it has no thumbnail", async (what, name, content) => {
  const before = process.memoryUsage().rss;
  const asset = await derived(name, await content());
  expect(asset).toMatchObject({
    ...{ status: "ready", thumbnail_url: null, derivation_failure: expect.stringMatching(/\w{4}/) },
  });
  const path = `/assets/${flight.vehicle.id}/download/${asset.id}`;
  expect((await flight.user.api.get(path)).status).toBe(200);
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20);
  // It does not hold up the next one, and nothing of it is tried again.
  const next = await derived(`after ${name}`, await small(what.length).jpeg().toBuffer());
  expect(next).toMatchObject({ derivation_failure: null });
});

test("an image of more than 100 MiB is not decoded", async () => {
  const large = Buffer.concat([await small().jpeg().toBuffer(), Buffer.alloc(100 * 2 ** 20)]);
  expect((await derived("large.jpg", large)).derivation_failure).toContain("more than 100 MiB");
});

test("another user's thumbnail does not wait for 24 hostile images", async () => {
  const [other, jpeg, png] = await Promise.all([startFlight(gateway), hugeJpeg(), hugePng()]);
  const hostile = { asset_type: "image", checksum: null };
  const uploads = Array.from({ length: 24 }, (_, n) =>
    upload(flight.drone, { ...hostile, file_name: `${n}` }, [svgOfFilters(), jpeg, png][n % 3] as Buffer),
  );
  await Promise.all(uploads);
  const waiting = async () => Number((await jobsOf(gateway.deps.db, flight.user.id)).waiting);
  const before = await waiting();
  const asset = await derived("innocent.jpg", await small().jpeg().toBuffer(), other);
  expect(asset).toMatchObject({ derivation_failure: null });
  const after = await waiting();
  expect(after).toBeGreaterThan(before / 2);
});
