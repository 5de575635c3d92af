const { createRequire, isBuiltin } = require("node:module");
const { compileFunction, constants } = require("node:vm");
const Runtime = require("jest-runtime").default;

/** jest gives these to each test file itself. */
const isJests = (name) => name.startsWith("@jest/") || /^(jest|expect|pretty-format)(-|$)/.test(name);
const isPackage = (name) => /^[@a-z]/i.test(name) && !isBuiltin(name) && !isJests(name);

/**
 * jest's runtime evaluates every module again for each test file, packages too, which costs more than most files' tests.
 * Here a worker loads each package once, by Node's own require. The project's modules are evaluated for each file as
 * before. All run in the worker's own context, since a package and its caller must share `Error` and `Date`.
 */
module.exports = class SharedPackagesRuntime extends Runtime {
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
    return isPackage(name) ? createRequire(from)(name) : super.requireModuleOrMock(from, name);
  }
};
