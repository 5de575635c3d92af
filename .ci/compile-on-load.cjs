const { transformSync } = require("@swc/core");
const { _extensions } = require("node:module");
const { readFileSync } = require("node:fs");

/** For `node --require`: compiles the project's sources as they are loaded, as `npm run build` would. */
_extensions[".ts"] = (module, filename) =>
  module._compile(
    transformSync(readFileSync(filename, "utf8"), { filename, sourceMaps: false }).code,
    filename,
  );
