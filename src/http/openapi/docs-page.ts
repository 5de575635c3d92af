import { createReadStream } from "node:fs";
import { dirname, extname, join } from "node:path";
import Router from "@koa/router";
import type { Context, Middleware } from "koa";

/** Requiring the package itself would run the whole user interface: a third of a second at each start. */
const packageFolder = dirname(require.resolve("swagger-ui-dist/package.json"));

/** What the package's page asks for beside `swagger-initializer.js`: nothing is fetched from another host. */
const files = [
  ...["index.css", "swagger-ui.css", "swagger-ui-bundle.js", "swagger-ui-standalone-preset.js"],
  ...["favicon-16x16.png", "favicon-32x32.png"],
];

const initializer = `SwaggerUIBundle({ url: "../../apispec.json", dom_id: "#swagger-ui", deepLinking: true, tagsSorter: "alpha", validatorUrl: null });\n`;

/** `GET /api/docs/` and `GET /apispec.json`, also below the base path. The description is made for the first request, not at each start. */
export function docsPage(describe: () => object, basePath: string): Middleware {
  let described: Buffer | undefined;
  const spec: Middleware = (ctx) => {
    described ??= Buffer.from(JSON.stringify(describe()));
    ctx.type = "json";
    ctx.body = described;
  };
  const answers: Readonly<Record<string, Middleware>> = {
    "/apispec.json": spec,
    [`${basePath}/apispec.json`]: spec,
    "/api/docs": (ctx) => ctx.redirect("/api/docs/"),
    "/api/docs/": (ctx) => sendFile(ctx, "index.html"),
    "/api/docs/swagger-initializer.js": (ctx) => {
      ctx.type = "js";
      ctx.body = initializer;
    },
    ...Object.fromEntries(files.map((name) => [`/api/docs/${name}`, (ctx: Context) => sendFile(ctx, name)])),
  };
  const router = new Router({ strict: true });
  for (const [path, answer] of Object.entries(answers)) router.get(path, answer as never);
  return router.routes() as unknown as Middleware;
}

function sendFile(ctx: Context, name: string): void {
  ctx.type = extname(name);
  if (files.includes(name)) ctx.set("Cache-Control", "public, max-age=86400");
  ctx.body = createReadStream(join(packageFolder, name));
}
