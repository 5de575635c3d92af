import { mkdirSync } from "node:fs";
import S3rver from "@20minutes/s3rver";
import type { Middleware } from "koa";
import { assertPortIsFree } from "../free-port";

interface ObjectsOptions {
  /** Absolute. Holds a folder per bucket; kept between starts. */
  readonly folder: string;
  /** A free one when absent. */
  readonly port?: number;
  /** Created when missing. */
  readonly buckets: readonly string[];
}

export interface EmbeddedObjects {
  readonly url: string;
  readonly port: number;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  stop(): Promise<void>;
}

/** Browsers put and get with presigned URLs from the client's own origin. */
const cors = `<CORSConfiguration><CORSRule>
  <AllowedOrigin>*</AllowedOrigin>
  <AllowedMethod>GET</AllowedMethod><AllowedMethod>HEAD</AllowedMethod><AllowedMethod>PUT</AllowedMethod>
  <AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader>
  <MaxAgeSeconds>3000</MaxAgeSeconds>
</CORSRule></CORSConfiguration>`;

/**
 * The conditions of a PUT that S3 and MinIO obey and s3rver does not: `If-None-Match: *`, and the ETag of a copy's
 * source. Two requests at the same moment may both pass.
 */
const conditions: Middleware = async (ctx, next) => {
  // By the loopback address: this process may be unable to reach the name that the caller used.
  const head = (path: string) => fetch(`http://127.0.0.1:${ctx.socket.localPort}${path}`, { method: "HEAD" });
  const refuse = (message: string) => {
    ctx.status = 412;
    ctx.type = "application/xml";
    ctx.body = `<Error><Code>PreconditionFailed</Code><Message>${message}</Message></Error>`;
  };
  if (ctx.method !== "PUT") return next();
  if (ctx.get("if-none-match") === "*" && (await head(ctx.path)).status !== 404)
    return refuse("There is one already.");
  const etag = ctx.get("x-amz-copy-source-if-match");
  if (etag && (await head(`/${ctx.get("x-amz-copy-source")}`)).headers.get("etag") !== etag)
    return refuse("The source has another ETag.");
  return next();
};

/**
 * An S3-compatible store on 127.0.0.1, in this process, for laptop and tests. It checks signatures and their
 * expiry, but unlike S3 it lets anyone read without a signature.
 */
export async function startObjects(options: ObjectsOptions): Promise<EmbeddedObjects> {
  mkdirSync(options.folder, { recursive: true });
  if (options.port) await assertPortIsFree(options.port, "the object store");
  const server = new S3rver({
    address: "127.0.0.1",
    port: options.port ?? 0,
    silent: true,
    directory: options.folder,
    vhostBuckets: false,
    configureBuckets: options.buckets.map((name) => ({
      name,
      configs: [cors],
    })),
  });
  server.middleware.unshift(conditions);
  const { port } = await server.run();
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    // The one account that s3rver knows.
    accessKeyId: "S3RVER",
    secretAccessKey: "S3RVER",
    stop: async () => {
      const closed = server.close();
      server.httpServer.closeAllConnections();
      await closed;
    },
  };
}
