/**
 * Imports go one way:
 *   cmd → gateway | relay | tunnel | onboard | simvehicle | laptop | admin
 *       → features/<x>/index | vehicle | flight-log → http | platform → domain
 * Inside a feature: routes → service → store; only stores import knex.
 */
const processes = "gateway|relay|tunnel|onboard|simvehicle|laptop|admin";
const isTest = "\\.(test|contract)\\.ts$";

module.exports = {
  forbidden: [
    {
      name: "no-circular",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "every-import-resolves",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "domain-imports-only-domain",
      severity: "error",
      from: { path: "^src/domain/" },
      to: {
        path: "^(src|cmd|migrations|bench)/",
        pathNot: "^src/(domain|testing)/",
      },
    },
    {
      name: "client-is-a-program-of-its-own",
      severity: "error",
      from: { path: "^src/client/", pathNot: isTest },
      to: { path: "^(src|cmd|migrations|bench)/", pathNot: "^src/client/" },
    },
    {
      name: "platform-imports-only-domain",
      severity: "error",
      from: { path: "^src/platform/", pathNot: isTest },
      to: { path: "^(src|cmd|bench)/", pathNot: "^src/(platform|domain)/" },
    },
    {
      name: "http-imports-only-platform-and-domain",
      severity: "error",
      from: { path: "^src/http/", pathNot: isTest },
      to: {
        path: "^(src|cmd|bench|migrations)/",
        pathNot: "^src/(http|platform|domain)/",
      },
    },
    {
      name: "vehicle-imports-only-platform-and-domain",
      severity: "error",
      from: { path: "^src/vehicle/", pathNot: isTest },
      to: {
        path: "^(src|cmd|bench|migrations)/",
        pathNot: "^src/(vehicle|platform|domain)/",
      },
    },
    {
      name: "flight-log-imports-only-mavlink-of-vehicle",
      severity: "error",
      from: { path: "^src/flight-log/", pathNot: isTest },
      to: {
        path: "^(src|cmd|bench|migrations)/",
        pathNot: "^src/(flight-log|vehicle/mavlink|platform|domain)/",
      },
    },
    {
      name: "flight-log-only-through-index",
      severity: "error",
      from: { path: "^(src|cmd|bench)/", pathNot: ["^src/flight-log/", "^src/testing/", isTest] },
      to: { path: "^src/flight-log/", pathNot: "^src/flight-log/index\\.ts$" },
    },
    {
      name: "simvehicle-imports-only-mavlink-of-vehicle",
      severity: "error",
      from: { path: "^src/simvehicle/", pathNot: isTest },
      to: {
        path: "^(src|cmd|bench|migrations)/",
        pathNot: "^src/(simvehicle|vehicle/mavlink|platform|domain)/",
      },
    },
    {
      name: "features-import-no-process",
      severity: "error",
      from: { path: "^src/features/", pathNot: isTest },
      to: { path: `^(cmd|bench|migrations|src/(${processes}|testing))/` },
    },
    {
      name: "features-import-features-only-through-index",
      severity: "error",
      from: { path: "^src/features/([^/]+)/", pathNot: isTest },
      to: {
        path: "^src/features/[^/]+/",
        pathNot: ["^src/features/$1/", "^src/features/[^/]+/index\\.ts$"],
      },
    },
    {
      name: "features-only-through-index",
      severity: "error",
      from: {
        path: "^(cmd|bench|src/(?!features/|testing/))",
        pathNot: isTest,
      },
      to: {
        path: "^src/features/[^/]+/",
        pathNot: ["^src/features/[^/]+/index\\.ts$"],
      },
    },
    {
      name: "routes-import-no-store",
      severity: "error",
      from: { path: "\\.routes\\.ts$" },
      to: { path: "(\\.store\\.ts$|node_modules/knex)" },
    },
    {
      name: "only-stores-import-knex",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: ["\\.store\\.ts$", "^src/platform/", "^src/testing/", isTest],
      },
      to: { path: "node_modules/knex" },
    },
    {
      name: "plans-import-only-domain",
      severity: "error",
      from: { path: "\\.plan\\.ts$" },
      to: { pathNot: "^src/domain/" },
    },
    {
      name: "processes-import-no-process",
      severity: "error",
      from: { path: `^src/(${processes})/`, pathNot: isTest },
      to: { path: `^(cmd/|src/(${processes}|testing)/)`, pathNot: "^src/$1/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // Its parser reads no JSX; src/testing/repository/console-imports.test.ts holds the console's directions.
    exclude: { path: "^src/console/" },
    parser: "swc",
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default"],
    },
  },
};
