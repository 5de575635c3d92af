import { join } from "node:path";
import type { Middleware } from "koa";
import { DomainError } from "../domain/errors";
import { consolePages } from "../http/console-pages";
import { MAP_FILE_PATH, mapFile, partOfFile, type ReadPart } from "../http/map-file";
import type { GatewayConfig } from "../platform/config";
import type { ObjectStore } from "../platform/objects/object-store";
import { packageRoot } from "../platform/process/version";
import type { Services } from "../platform/services";

/** Where `npm run build` puts the console. */
const FOLDER = join(packageRoot, "dist", "console");

/** The console's pages, with what they are configured with, and its base map's file. */
export function webConsole({ config, store, log }: Pick<Services, "config" | "store" | "log">): Middleware[] {
  const { RELAY_PUBLIC_ORIGIN: relay, CONSOLE_MAP_STYLE: style, ENABLE_REGISTRATION: registration } = config;
  const readPart = mapReader(config, store);
  const settings = {
    registration,
    ...(relay ? { relayOrigin: relay } : {}),
    ...(style ? { mapStyle: style } : {}),
    ...(readPart ? { mapFile: MAP_FILE_PATH } : {}),
  };
  const styleOrigins = style ? [new URL(style).origin] : [];
  const pages = consolePages({
    folder: FOLDER,
    connectTo: [...(relay ? [relay] : []), ...styleOrigins],
    imagesFrom: styleOrigins,
    objectsFrom: store.userOrigin,
    settings,
    log,
  });
  return readPart ? [mapFile(readPart), pages] : [pages];
}

function mapReader(
  { CONSOLE_MAP_FILE: path, CONSOLE_MAP_OBJECT: key }: GatewayConfig,
  store: ObjectStore,
): ReadPart | undefined {
  if (path) return partOfFile(path);
  if (!key) return undefined;
  return async (start, end) => {
    const part = await store.readPart(key, start, end);
    if (!part) throw new DomainError("not_found", "The base map's object is missing, or ends before.");
    const { body, version } = part;
    return { body, size: version.size, etag: version.etag ?? "" };
  };
}
