import { createReadStream } from "node:fs";
import { dirname, join } from "node:path";
import Router from "@koa/router";
import type { Middleware } from "koa";

/** Requiring the package itself would run the whole user interface: a third of a second at each start. */
const packageFolder = dirname(require.resolve("swagger-ui-dist/package.json"));

/** Files of Swagger UI's package: nothing is fetched from another host. */
const assets: Readonly<Record<string, string>> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Fleet Gateway API</title>
    <link rel="icon" href="favicon-32x32.png">
    <link rel="stylesheet" href="swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="swagger-ui-bundle.js"></script>
    <script src="start.js"></script>
  </body>
</html>
`;

const start = `SwaggerUIBundle({ url: "../../apispec.json", dom_id: "#swagger-ui", deepLinking: true, tagsSorter: "alpha", validatorUrl: null });\n`;

/** `GET /api/docs/` and `GET /apispec.json`, also below the base path. The description is made for the first request, not at each start. */
export function docsPage(describe: () => object, basePath: string): Middleware {
  const router = new Router({ strict: true });
  for (const [path, answer] of Object.entries(answersOf(describe, basePath)))
    router.get(path, answer as never);
  return router.routes() as unknown as Middleware;
}

function answersOf(describe: () => object, basePath: string): Readonly<Record<string, Middleware>> {
  let described: Buffer | undefined;
  const spec: Middleware = (ctx) => {
    described ??= Buffer.from(JSON.stringify(describe()));
    ctx.type = "json";
    ctx.body = described;
  };
  const text = (type: string, content: string): Middleware => {
    const body = Buffer.from(content);
    return (ctx) => {
      ctx.type = type;
      ctx.body = body;
    };
  };
  const file =
    (name: string, type: string): Middleware =>
    (ctx) => {
      ctx.type = type;
      ctx.set("Cache-Control", "public, max-age=86400");
      ctx.body = createReadStream(join(packageFolder, name));
    };
  return {
    "/apispec.json": spec,
    [`${basePath}/apispec.json`]: spec,
    "/api/docs": (ctx) => ctx.redirect("/api/docs/"),
    "/api/docs/": text("html", page),
    "/api/docs/start.js": text("text/javascript; charset=utf-8", start),
    ...Object.fromEntries(
      Object.entries(assets).map(([name, type]) => [`/api/docs/${name}`, file(name, type)]),
    ),
  };
}
