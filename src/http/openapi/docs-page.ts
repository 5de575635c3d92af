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

const initializer = `SwaggerUIBundle({ url: "../../openapi.json", dom_id: "#swagger-ui", deepLinking: true, tagsSorter: "alpha", validatorUrl: null });\n`;

/** The descriptions by their file names. */
type Descriptions = Readonly<Record<"openapi.json" | "asyncapi.json" | "apispec.json", () => object>>;

/** `GET /api/docs/` and the descriptions, these also below the base path. */
export function docsPage(descriptions: Descriptions, basePath: string): Middleware {
  const answers: Readonly<Record<string, Middleware>> = {
    ...Object.fromEntries(
      Object.entries(descriptions).flatMap(([name, describe]) => {
        const send = sendDescription(describe);
        return ["", basePath].map((base) => [`${base}/${name}`, send]);
      }),
    ),
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

/** The description is made for the first request, not at each start. */
function sendDescription(describe: () => object): Middleware {
  let described: Buffer | undefined;
  return (ctx) => {
    described ??= Buffer.from(JSON.stringify(describe()));
    ctx.type = "json";
    ctx.body = described;
  };
}

function sendFile(ctx: Context, name: string): void {
  ctx.type = extname(name);
  if (files.includes(name)) ctx.set("Cache-Control", "public, max-age=86400");
  ctx.body = createReadStream(join(packageFolder, name));
}
