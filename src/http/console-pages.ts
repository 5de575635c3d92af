import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, sep } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Context, Middleware } from "koa";
import type { Logger } from "../platform/process/log";
import { etagOf } from "./etag";
import { opsPaths } from "./ops";

/** What the pages are told of the deployment, in the element `meta` of the name `settings`. */
export interface ConsoleSettings {
  /** The relay's origin, where it is not the gateway's own. */
  readonly relayOrigin?: string;
  /** The address of the base map's style. */
  readonly mapStyle?: string;
  /** The path of the base map's .pmtiles file. */
  readonly mapFile?: string;
  /** Whether people may register by themselves. */
  readonly registration: boolean;
}

interface ConsoleOptions {
  /** The folder that the build of the console wrote. */
  readonly folder: string;
  /** Origins beside the gateway's own that the pages may connect to. */
  readonly connectTo?: readonly string[];
  /** Origins beside the gateway's own whose pictures the pages may show. */
  readonly imagesFrom?: readonly string[];
  /** The origin of the object store, whose pictures and videos the pages show. */
  readonly objectsFrom?: string;
  readonly settings: ConsoleSettings;
  readonly log: Pick<Logger, "warn">;
}

/** Encodings that the build has made beside a file, the best first; by the ending of their files. */
const encodings = { br: ".br", gzip: ".gz" } as const;
type Encoding = keyof typeof encodings | "identity";

interface Content {
  readonly bytes: Buffer;
  readonly etag: string;
}

interface StoredFile {
  /** Its name's ending. */
  readonly type: string;
  /** `identity` last, and always there. */
  readonly contents: ReadonlyMap<Encoding, Content>;
}

/** The build puts the hash of a file's content into its name there. */
const HASHED = "/assets/";

/** Paths of other parts of the gateway: the console's page is no answer to a mistyped one of these. */
const notPages = ["/api", "/socket.io", ...opsPaths];

/**
 * The web console. GET and HEAD of one of its files answer the file, and of any other path its page, whose script shows
 * what belongs to the path. All files are read at the start: a request names one of them and no path of the disk. Without
 * the folder, a warning is logged and every path passes on.
 */
export function consolePages({
  folder,
  connectTo = [],
  imagesFrom = [],
  objectsFrom,
  settings,
  log,
}: ConsoleOptions): Middleware {
  const files = readFiles(folder);
  const built = files.get("/index.html");
  if (!built) {
    log.warn({ folder }, "The console is not served: it is not built. `npm run build` builds it");
    return (_, next) => next();
  }
  const page = withSettings(built, settings);
  files.set("/index.html", page);
  const objects = objectsFrom ? [objectsFrom] : [];
  const policy = contentSecurityPolicy([...connectTo, ...objects], [...imagesFrom, ...objects], objects);
  return (ctx, next) => {
    if (ctx.method !== "GET" && ctx.method !== "HEAD") return next();
    if (notPages.some((path) => ctx.path === path || ctx.path.startsWith(`${path}/`))) return next();
    const file = files.get(ctx.path);
    // A script of another release is missing; the page in its place would be no script.
    if (!file && ctx.path.startsWith(HASHED)) return next();
    ctx.set("Content-Security-Policy", policy);
    const isImmutable = file && ctx.path.startsWith(HASHED);
    send(ctx, file ?? page, isImmutable ? "public, max-age=31536000, immutable" : "no-cache");
  };
}

/** No script, style or connection but the gateway's own and what is configured, and no page of others around ours. */
function contentSecurityPolicy(
  connectTo: readonly string[],
  imagesFrom: readonly string[],
  mediaFrom: readonly string[],
): string {
  return [
    "default-src 'self'",
    ["img-src 'self' data: blob:", ...imagesFrom].join(" "),
    // A video that a script puts together has an address of its own, `blob:`.
    ["media-src 'self' blob:", ...mediaFrom].join(" "),
    ["connect-src 'self'", ...connectTo].join(" "),
    "object-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; ");
}

function send(ctx: Context, { type, contents }: StoredFile, cacheControl: string): void {
  // By our order, not by the client's: browsers name gzip first.
  const accepted = [...contents.keys()].find((encoding) => ctx.acceptsEncodings(encoding)) ?? "identity";
  const { bytes, etag } = contents.get(accepted) as Content;
  ctx.vary("Accept-Encoding");
  ctx.set("Cache-Control", cacheControl);
  ctx.set("ETag", etag);
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.type = type;
  if (accepted !== "identity") ctx.set("Content-Encoding", accepted);
  ctx.body = bytes;
}

/** By their paths in a URL. */
function readFiles(folder: string): Map<string, StoredFile> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    names.map((name) => [name.slice(folder.length).replaceAll(sep, "/"), readStored(name)] as const),
  );
}

function readStored(name: string): StoredFile {
  const made = (Object.keys(encodings) as (keyof typeof encodings)[])
    .filter((encoding) => existsSync(`${name}${encodings[encoding]}`))
    .map((encoding) => [encoding, read(`${name}${encodings[encoding]}`)] as const);
  return { type: extname(name), contents: new Map<Encoding, Content>([...made, ["identity", read(name)]]) };
}

/** The page with the settings, compressed anew where the build had compressed it. */
function withSettings({ type, contents }: StoredFile, settings: ConsoleSettings): StoredFile {
  const compress = { br: brotliCompressSync, gzip: gzipSync, identity: (bytes: Buffer) => bytes };
  const json = JSON.stringify(settings).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const html = contents
    .get("identity")
    ?.bytes.toString()
    .replace(/(<meta name="settings" content=")"/, (_, start) => `${start}${json}"`);
  const bytes = Buffer.from(html ?? "");
  return {
    type,
    contents: new Map([...contents.keys()].map((encoding) => [encoding, content(compress[encoding](bytes))])),
  };
}

const read = (name: string): Content => content(readFileSync(name));

function content(bytes: Buffer): Content {
  return { bytes, etag: etagOf(bytes) };
}
