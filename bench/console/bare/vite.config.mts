import { defineConfig } from "vite";

/** Built as the console is, below `/bare/` of the same server. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/bare/",
  publicDir: false,
  build: {
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
  },
});
