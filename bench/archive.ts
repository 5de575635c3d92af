import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ArchiveBench, FILES, MEGABYTES_EACH, setUpArchiveBench } from "./archive/setup";
import type { BenchTable } from "./table";

const ROUNDS = 3;
const MEGABYTES = FILES * MEGABYTES_EACH;
const program = promisify(execFile);

/** Archives of one execution, beside the same done by hand: zip -0, sha256sum, and an upload to the same store. */
export async function run(): Promise<BenchTable> {
  const stage = await setUpArchiveBench();
  try {
    const ours: number[] = [];
    const byHand: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      byHand.push(await seconds(() => zipSumUpload(stage)));
      ours.push(await seconds(() => stage.makeArchive()));
    }
    const [rate, baseline] = [MEGABYTES / Math.min(...ours), MEGABYTES / Math.min(...byHand)];
    const ratio = rate / baseline;
    return {
      name: "archive",
      rows: [
        {
          what: `archive of ${FILES} assets, ${MEGABYTES} MB`,
          ours: rate,
          baseline,
          ratio,
          unit: "MB/s",
          goal: "at least 0.6 of the baseline",
          met: ratio >= 0.6,
        },
      ],
      notes: [
        "Baseline: `zip -0`, `sha256sum` and `curl -T` of files on this disk, one after the other; ours reads them from the store.",
        `The best of ${ROUNDS} rounds each.`,
      ],
    };
  } finally {
    await stage.clear();
  }
}

async function zipSumUpload({ folder, store }: ArchiveBench): Promise<void> {
  const zip = join(folder, "by-hand.zip");
  rmSync(zip, { force: true });
  await program("zip", ["-0", "-q", "-r", zip, "files"], { cwd: folder });
  await program("sha256sum", [zip]);
  await program("curl", ["-s", "-f", "-T", zip, await store.presignPut("by-hand.zip", "user", 600)]);
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}
