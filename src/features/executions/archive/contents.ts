import type { KeyObject } from "node:crypto";
import { Readable } from "node:stream";
import type { Db } from "../../../platform/postgres/db";
import type { Services } from "../../../platform/services";
import { type Asset, assetKey, assetsOfExecution, safeFileName, versionOf } from "../../assets";
import { toExecutionReply } from "../executions.schema";
import { commandsDuring, droneOfExecution, type Execution, verifiedPlan } from "../executions.store";
import { findStats } from "../stats.store";
import { partition } from "../stored-assets";
import { fingerprintOf, MANIFEST, type Manifest, SIGNATURE, signManifest } from "./manifest";
import { textEntry, type ZipEntry, type ZippedFile, zipOf } from "./zip";

type Deps = Pick<Services, "db" | "store"> & { readonly key: KeyObject };

/** As many as a drone may have by its quota's default. */
const MAX_ASSETS = 20_000;

/** The archive of an execution as a stream: its data, its assets, and last the signed manifest. */
export async function archiveStream(deps: Deps, execution: Execution, at: Date): Promise<Readable> {
  const { db, store, key } = deps;
  const assets = await assetsOfExecution(db, execution.id, MAX_ASSETS + 1);
  if (assets.length > MAX_ASSETS) throw new Error(`An archive holds at most ${MAX_ASSETS} assets.`);
  const { stored, missing } = await partition(store, assets);
  const written: ZippedFile[] = [];
  let manifest: Buffer = Buffer.alloc(0);
  const text = (path: string, value: unknown) => textEntry(path, at, () => json(value));
  const entries: ZipEntry[] = [
    text("execution.json", await describe(db, execution, assets)),
    text("mission.json", await missionOf(db, execution)),
    {
      path: "commands.json",
      modified: at,
      open: () => Readable.from(jsonArray(commandsDuring(db, execution))),
    },
    text("stats.json", (await findStats(db, execution.id)) ?? null),
    ...stored.map((asset) => ({
      path: pathOf(asset),
      modified: asset.completed_at ?? at,
      size: asset.size ?? undefined,
      open: () => store.read(assetKey(asset), versionOf(asset)),
    })),
    // All entries before these two are written when they are opened.
    textEntry(MANIFEST, at, () => {
      manifest = Buffer.from(
        json({
          format: "fleet-archive/1",
          execution_id: execution.id,
          created_at: at.toISOString(),
          key_fingerprint: fingerprintOf(key),
          files: listed(written, stored),
          missing,
        } satisfies Manifest),
      );
      return manifest;
    }),
    textEntry(SIGNATURE, at, () => signManifest(manifest, key)),
  ];
  return zipOf(entries, (entry) => written.push(entry));
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

async function* jsonArray(values: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let before = "[\n";
  for await (const value of values) {
    yield Buffer.from(`${before}  ${JSON.stringify(value)}`);
    before = ",\n";
  }
  yield Buffer.from(before === "[\n" ? "[]\n" : "\n]\n");
}

const pathOf = (asset: Asset): string => `assets/${asset.id}/${safeFileName(asset.file_name)}`;

/** Checksums as written now. */
function listed(written: readonly ZippedFile[], assets: readonly Asset[]): Manifest["files"] {
  const byPath = new Map(assets.map((asset) => [pathOf(asset), asset.id]));
  return written.map((file) => {
    const asset_id = byPath.get(file.path);
    return asset_id === undefined ? file : { ...file, asset_id };
  });
}

async function describe(db: Db, execution: Execution, assets: readonly Asset[]) {
  return {
    ...toExecutionReply(execution),
    drone: await droneOfExecution(db, execution.drone_id),
    assets: assets.map(({ url_expires_at: _, checked: __, ...asset }) => asset),
  };
}

/** The plan on board at the start, and the plan that was last verified on the drone. */
async function missionOf(db: Db, execution: Execution) {
  const { mission_id, mission_name, plan_state, plan_hash, plan_items, verified_plan_hash } = execution;
  return {
    mission_id,
    mission_name,
    plan_state,
    on_board: plan_hash === null ? null : { hash: plan_hash, items: plan_items },
    verified:
      verified_plan_hash === null
        ? null
        : ((await verifiedPlan(db, execution.drone_id, verified_plan_hash)) ?? null),
  };
}
