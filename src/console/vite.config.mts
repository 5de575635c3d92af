import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync, constants as zlib } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const root = import.meta.dirname;

/** The gateway that the development server asks. */
const gateway = process.env.GATEWAY ?? "http://127.0.0.1:8080";

export default defineConfig({
  root,
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: join(root, "../../dist/console"),
    emptyOutDir: true,
    // The content security policy admits no font or style of a data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // MapLibre is one part, and loaded by the pages with a map.
    chunkSizeWarningLimit: 1_200,
    // For people who look into the build, not for those who start the stack.
    rolldownOptions: { checks: { pluginTimings: false } },
    license: { fileName: "licenses.md" },
  },
  server: {
    proxy: { "/api": gateway, "/socket.io": { target: gateway, ws: true } },
  },
  plugins: [compress()],
});

/** Writes `.br` and `.gz` beside each text of the build. The gateway sends them as they are. */
function compress(): Plugin {
  return {
    name: "compress",
    apply: "build",
    writeBundle({ dir }, bundle) {
      for (const name of Object.keys(bundle).filter((name) => /\.(html|js|css|svg|md)$/.test(name))) {
        const file = join(dir as string, name);
        const text = readFileSync(file);
        const params = { [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY };
        writeFileSync(`${file}.br`, brotliCompressSync(text, { params }));
        writeFileSync(`${file}.gz`, gzipSync(text, { level: zlib.Z_BEST_COMPRESSION }));
      }
    },
  };
}
