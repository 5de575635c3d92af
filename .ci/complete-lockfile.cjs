/**
 * Adds to package-lock.json the platform packages that it does not list. A registry that serves one platform
 * makes npm leave the others out, and npm ci then refuses the file: it compares it with all that its packages
 * name. A platform package is named by its parent with an exact version, and its platform is in its name, so
 * that npm skips it everywhere else. Run it after adding a package: npm run lockfile
 */
const { readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const file = join(__dirname, "..", "package-lock.json");
const systems = /(?:^|[-/])(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)(?=-|$)/;
const processors = /-(arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|x64)(?=-|$)/;
const musl = /-(musl|musleabihf)$/;

/** Every optional package that a listed one names and the lock file lacks: `[location, entry]`. */
function missingPlatforms(packages) {
  return Object.entries(packages).flatMap(([parent, { optionalDependencies = {}, dev }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isListed(packages, parent, name))
      .map(([name, version]) => [`node_modules/${name}`, entryOf(name, version, dev)]),
  );
}

/** Whether Node would find the package from `parent`: in its own node_modules or one further up. */
function isListed(packages, parent, name) {
  for (let at = parent; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    if (packages[`${at}${at && "/"}node_modules/${name}`]) return true;
    if (at === "") return false;
  }
}

function entryOf(name, version, dev) {
  const [, os] = systems.exec(name) ?? [];
  const [, cpu] = processors.exec(name) ?? [];
  if (!os || !cpu || !/^\d/.test(version)) {
    throw new Error(`${name}@${version} is missing and is no package of one platform; npm must add it.`);
  }
  return {
    version,
    cpu: [cpu],
    ...(dev ? { dev } : {}),
    ...(os === "linux" ? { libc: [musl.test(name) ? "musl" : "glibc"] } : {}),
    optional: true,
    os: [os],
  };
}

if (require.main === module) {
  const lock = JSON.parse(readFileSync(file, "utf8"));
  const missing = missingPlatforms(lock.packages);
  const sorted = Object.entries(lock.packages)
    .concat(missing)
    .sort(([a], [b]) => a.localeCompare(b, "en"));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
  process.stdout.write(`${missing.length} platform packages added.\n`);
}

module.exports = { missingPlatforms };
