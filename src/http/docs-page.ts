import { createReadStream } from "node:fs";
import { dirname, join } from "node:path";
import Router from "@koa/router";
import type { Middleware } from "koa";

/** Loading the package for its path would run the whole user interface here: a third of a second of each start. */
const packageFolder = dirname(require.resolve("swagger-ui-dist/package.json"));

/** Swagger UI from its own package: nothing is fetched from another host. */
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

/** `GET /api/docs/` and `GET /apispec.json`; the description is also found below the base path. */
export function docsPage(document: object, basePath: string): Middleware {
  const spec = JSON.stringify(document);
  const router = new Router({ strict: true });
  router.get("/apispec.json", (ctx) => {
    ctx.type = "json";
    ctx.body = spec;
  });
  router.get(`${basePath}/apispec.json`, (ctx) => {
    ctx.type = "json";
    ctx.body = spec;
  });
  router.get("/api/docs", (ctx) => ctx.redirect("/api/docs/"));
  router.get("/api/docs/", (ctx) => {
    ctx.type = "html";
    ctx.body = page;
  });
  router.get("/api/docs/start.js", (ctx) => {
    ctx.type = "text/javascript; charset=utf-8";
    ctx.body = start;
  });
  for (const [name, type] of Object.entries(assets)) {
    router.get(`/api/docs/${name}`, (ctx) => {
      ctx.type = type;
      ctx.set("Cache-Control", "public, max-age=86400");
      ctx.body = createReadStream(join(packageFolder, name));
    });
  }
  return router.routes() as unknown as Middleware;
}
