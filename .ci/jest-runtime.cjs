const { createRequire, isBuiltin } = require("node:module");
const { join, resolve } = require("node:path");
const { compileFunction, constants } = require("node:vm");
const Runtime = require("jest-runtime").default;
require("./compile-on-load.cjs");

/** jest gives these to each test file itself. */
const isJests = (name) => name.startsWith("@jest/") || /^(jest|expect|pretty-format)(-|$)/.test(name);
const isPackage = (name) => /^[@a-z]/i.test(name) && !isBuiltin(name) && !isJests(name);

const root = join(__dirname, "..");
const shipped = ["src", "cmd", "migrations"].map((folder) => join(root, folder, "/"));
/** What tests are made of may keep something for its test file, and is evaluated for each. */
const isOfTests = (path) => path.startsWith(join(root, "src/testing/")) || /\.(test|contract)$/.test(path);
const isShipped = (from, name) => {
  if (!/^\.\.?(\/|$)/.test(name)) return false;
  const path = resolve(from, "..", name);
  return shipped.some((folder) => `${path}/`.startsWith(folder)) && !isOfTests(path);
};

/**
 * jest's runtime evaluates every module again for each test file, packages too, which costs more than most files' tests.
 * Here a worker loads each package and each module of the product once, by Node's own require. All run in the worker's
 * own context, since a package and its caller must share `Error` and `Date`.
 */
module.exports = class SharedModulesRuntime extends Runtime {
  constructor(...given) {
    super(...given);
    const { executor } = this;
    executor.compile = (source, filename) =>
      compileFunction(source, executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
  }

  requireModuleOrMock(from, name) {
    return isPackage(name) || isShipped(from, name)
      ? createRequire(from)(name)
      : super.requireModuleOrMock(from, name);
  }
};
