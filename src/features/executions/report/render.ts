import sharp from "sharp";
import type { LatLng } from "../../../domain/geo";
import { MavCommand } from "../../../domain/mission-item";
import type { FlightStats } from "../../../flight-log";
import type { Mail } from "../../../platform/mail";
import type { ObjectStore } from "../../../platform/objects/object-store";
import type { Db } from "../../../platform/postgres/db";
import type { Services } from "../../../platform/services";
import {
  type Asset,
  assetKey,
  assetsOfExecution,
  countByStatus,
  findAsset,
  safeFileName,
  thumbnailKey,
} from "../../assets";
import { droneOfExecution, type Execution } from "../executions.store";
import { findStats, type StatsRow } from "../stats.store";
import { partition } from "../stored-assets";
import { altitudePlot } from "./altitude-plot";
import { type ReportAsset, type ReportContents, subject } from "./contents";
import { reportHtml } from "./report-html";
import { reportText } from "./report-text";
import { trackMap } from "./track-map";

export type RenderedReport = Required<Pick<Mail, "subject" | "text" | "html" | "inline">>;

export interface ReportDeps extends Pick<Services, "db" | "store" | "clock" | "mailQuotas" | "mailer"> {
  /** Of the web client: links begin with it, and it is part of message ids. */
  readonly origin: string;
}

/** The longest time that a presigned URL may be valid. */
const LINK_SECONDS = 7 * 86_400;
/** Assets in a mail; the web client shows all. */
const MAX_ASSETS = 30;
const MAX_THUMBNAILS = 12;
/** Files that a sentence names. */
const NAMED = 5;

/** The report of an execution in its current state. */
export async function renderReport(
  { db, store, origin }: Pick<ReportDeps, "db" | "store" | "origin">,
  execution: Execution,
): Promise<RenderedReport> {
  const [drone, row, arrived] = await Promise.all([
    droneOfExecution(db, execution.drone_id),
    findStats(db, execution.id),
    assetsOfExecution(db, execution.id, MAX_ASSETS, { status: "ready" }),
  ]);
  const stats = row?.stats ?? undefined;
  const pictures = await drawn(execution, stats);
  const { stored, missing } = await partition(store, arrived);
  const thumbnails = await thumbnailsOf(store, stored);
  const contents: ReportContents = {
    execution,
    droneName: drone?.name ?? `Drone ${execution.drone_id}`,
    stats,
    assets: await Promise.all(stored.map((asset) => toReportAsset(store, asset, thumbnails))),
    missing: [
      ...(await missingFrom(db, execution, row, arrived.length)),
      ...missing.map(({ file_name, reason }) => `${safeFileName(file_name)}: ${reason}`),
    ],
    hasMap: pictures.some(({ id }) => id === "track"),
    hasPlot: pictures.some(({ id }) => id === "plot"),
    link: `${origin.replace(/\/$/, "")}/executions/${execution.id}`,
  };
  return {
    subject: subject(contents),
    text: reportText(contents),
    html: reportHtml(contents),
    inline: [...pictures, ...thumbnails.values()],
  };
}

const png = (svg: string): Promise<Buffer> =>
  sharp(Buffer.from(svg)).png({ palette: true, compressionLevel: 9 }).toBuffer();

async function drawn(execution: Execution, stats: FlightStats | undefined) {
  if (!stats) return [];
  const { track, series } = stats;
  const drawings = [
    { id: "track", fileName: "track.png", svg: track.length > 1 ? trackMap(track, planned(execution)) : "" },
    { id: "plot", fileName: "altitude-speed.png", svg: series.length > 1 ? altitudePlot(series) : "" },
  ].filter(({ svg }) => svg !== "");
  return Promise.all(
    drawings.map(async ({ id, fileName, svg }) => ({ id, fileName, content: await png(svg) })),
  );
}

/** The positions of the plan on board. A return, or a landing at the current position, has none. */
const planned = ({ plan_items }: Execution): LatLng[] =>
  (plan_items ?? [])
    .filter(({ command, x_lat, y_long }) => {
      const flown: number[] = [MavCommand.waypoint, MavCommand.takeoff, MavCommand.land];
      return flown.includes(command) && (x_lat !== 0 || y_long !== 0);
    })
    .map(({ x_lat, y_long }) => ({ lat: x_lat, lng: y_long }));

/** The stored thumbnails. A picture without one is only listed. */
async function thumbnailsOf(store: ObjectStore, assets: readonly Asset[]) {
  const found = new Map<number, { id: string; fileName: string; content: Buffer }>();
  for (const asset of assets.filter(({ thumbnail }) => thumbnail).slice(0, MAX_THUMBNAILS)) {
    const content = await store.readSmall(thumbnailKey(asset)).catch(() => undefined);
    const id = `asset-${asset.id}`;
    if (content) found.set(asset.id, { id, fileName: `${id}.jpg`, content });
  }
  return found;
}

const kinds = { video: "Video", image: "Picture", logs: "Log" } as const;

async function toReportAsset(
  store: ObjectStore,
  asset: Asset,
  thumbnails: ReadonlyMap<number, { id: string }>,
): Promise<ReportAsset> {
  const name = safeFileName(asset.file_name);
  return {
    name,
    kind: kinds[asset.asset_type],
    size: asset.size ?? 0,
    url: await store.presignGet(assetKey(asset), "user", LINK_SECONDS, name),
    thumbnail: thumbnails.get(asset.id)?.id,
  };
}

const unread = (log: Asset | undefined, { recorded }: StatsRow): string =>
  recorded || log?.status === "ready"
    ? "The flight log is still being analysed."
    : "The flight log has not arrived: there are no statistics.";

async function missingFrom(
  db: Db,
  { id, log_asset_id }: Execution,
  stats: StatsRow | undefined,
  shown: number,
): Promise<string[]> {
  const counts = await countByStatus(db, id);
  const list = async (status: Asset["status"]) => {
    const found = await assetsOfExecution(db, id, NAMED, { status });
    const names = found.map(({ file_name }) => safeFileName(file_name)).join(", ");
    return names + (counts[status] > NAMED ? ` and ${counts[status] - NAMED} more` : "");
  };
  const log = log_asset_id === null ? undefined : await findAsset(db, log_asset_id);
  const beyond = counts.ready - shown;
  return [
    ...(log_asset_id === null && !stats ? ["The drone sent no flight log: there are no statistics."] : []),
    ...(stats?.status === "pending" ? [unread(log, stats)] : []),
    ...(stats?.recorded && stats.status === "ready"
      ? [
          `${stats.error ? `The drone's own log could not be read (${stats.error})` : "The drone's own log has not arrived"}: the figures are of the record that the service made of its link.`,
        ]
      : []),
    ...(stats?.status === "failed" ? [`The flight log could not be read: ${stats.error}`] : []),
    ...(counts.pending > 0 ? [`Not uploaded yet: ${await list("pending")}.`] : []),
    ...(counts.failed > 0 ? [`Uploads that failed: ${await list("failed")}.`] : []),
    ...(beyond > 0 ? [`${beyond} more files are in the web client.`] : []),
  ];
}
