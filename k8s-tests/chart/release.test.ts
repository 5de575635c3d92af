import { execFile } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Ajv from "ajv";
import { parse } from "yaml";
import { packageRoot } from "../../src/platform/process/version";
import { freshFolder } from "../../src/testing";
import { run, tool } from "./helm";

/** `npm run release`, in a copy of the working tree with a version of its own. */
const VERSION = "9.8.7";
const folder = freshFolder("release");
const copy = join(folder, "copy");
// Its agent's socket has a path of 107 bytes at most.
const gpgHome = mkdtempSync(join(tmpdir(), "gpg-"));
const none = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
const here = {
  cwd: copy,
  env: { PATH: process.env.PATH, HOME: process.env.HOME, GNUPGHOME: gpgHome, ...none },
};
const git = (...args: string[]) =>
  run("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], here);
const commit = async (message: string) => {
  await git("add", "--all");
  await git("commit", "--quiet", "--message", message);
};
const read = (...path: string[]) => readFileSync(join(copy, ...path), "utf8");
const replace = (file: string, from: string | RegExp, to: string) =>
  writeFileSync(join(copy, file), read(file).replaceAll(from, to));

/** As the target `packages` of Dockerfile has it for two platforms. */
const packages = join(folder, "packages");
const installed = (name: string, version: string, architecture: string, status = "install ok installed") =>
  `Package: ${name}\nStatus: ${status}\nArchitecture: ${architecture}\nVersion: ${version}\nDescription: a\n b\n`;
for (const architecture of ["amd64", "arm64"]) {
  mkdirSync(join(packages, `linux_${architecture}`), { recursive: true });
  const status = [
    installed("libstdc++6", "12.2.0-14+deb12u1", architecture),
    installed("fonts-dejavu-core", "2.37-6", "all"),
    installed("gone", "1:1.0", "all", "deinstall ok config-files"),
  ];
  const write = (image: string, list: readonly string[]) =>
    writeFileSync(join(packages, `linux_${architecture}`, image), list.join("\n"));
  write("fleet-gateway", status);
  write("fleet-gateway-worker", [...status, installed("ffmpeg", "7:5.1.9-0+deb12u1", architecture)]);
}

const inImages = [
  ...["docker.io/library/debian", "docker.io/library/node", "argon2", "koa", "@img/sharp-linux-arm64"],
  "fonts-dejavu-core",
];

/** What it prints, and whether it was made. */
const release = (to: string, env: Record<string, string> = {}) =>
  new Promise<{ made: boolean; output: string }>((resolve) => {
    execFile(
      "bash",
      [".ci/release/run", to],
      { ...here, env: { ...here.env, ...env } },
      (error, stdout, stderr) => resolve({ made: error === null, output: stdout + stderr }),
    );
  });

beforeAll(async () => {
  const listed = await run("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: packageRoot,
    maxBuffer: 2 ** 26,
  });
  for (const name of listed.stdout.split("\0").filter((one) => one && existsSync(join(packageRoot, one)))) {
    mkdirSync(join(copy, dirname(name)), { recursive: true });
    copyFileSync(join(packageRoot, name), join(copy, name));
  }
  symlinkSync(join(packageRoot, "node_modules"), join(copy, "node_modules"));
  await git("init", "--quiet");
  writeFileSync(join(copy, ".git/info/exclude"), "node_modules\n");
  // Older than the packages, which are then not installed anew.
  utimesSync(join(copy, "package-lock.json"), 0, 0);
  const section = `## [${VERSION}] - 2026-12-24\n\n### Added\n\n- A thing.\n\n`;
  const older = read("CHANGELOG.md").search(/^## \[\d/m);
  const text = `# Changelog\n\n## [Unreleased]\n\n${section}${read("CHANGELOG.md").slice(older)}`;
  writeFileSync(join(copy, "CHANGELOG.md"), text);
  await commit("a version");
  const batch = ["%no-protection", "Key-Type: eddsa", "Key-Curve: ed25519", "Name-Real: Release", "%commit"];
  writeFileSync(join(folder, "key"), batch.join("\n"));
  await run("gpg", ["--batch", "--generate-key", join(folder, "key")], here);
  for (const [option, file] of [
    ["--export-secret-keys", "secret.gpg"],
    ["--export", "public.gpg"],
  ] as const)
    await run("gpg", ["--batch", "--output", join(folder, file), option], here);
});
afterAll(async () => {
  await run("gpgconf", ["--kill", "all"], here);
  rmSync(gpgHome, { recursive: true, force: true });
});

test("refuses changes that are not committed or have no version, and files of another version", async () => {
  const { made, output } = await release("release");
  expect(made).toBe(false);
  expect(output).toMatch(
    new RegExp(`at ${VERSION}. Other versions: package.json .*Dockerfile.*appVersion.*minio.*install.md`),
  );
  replace("CHANGELOG.md", /^## \[Unreleased\]\n/gm, "## [Unreleased]\n\n- A thing.\n");
  expect((await release("release")).output).toContain("not committed");
  await commit("a change without a version");
  expect((await release("release")).output).toContain("changes under [Unreleased]");
  await git("reset", "--quiet", "--hard", "HEAD~1");
  expect(readdirSync(copy)).not.toContain("release");
});

describe("a release", () => {
  const made = (name: string) => join(copy, "release", name);
  const json = (name: string) => JSON.parse(readFileSync(made(name), "utf8"));

  beforeAll(async () => {
    const { version } = JSON.parse(read("package.json"));
    const charts = ["", "charts/postgres/", "charts/redis/", "charts/minio/"];
    for (const chart of charts)
      replace(
        `charts/fleet-gateway/${chart}Chart.yaml`,
        /(ersion: "?)\d+\.\d+\.\d+("?)$/gm,
        `$1${VERSION}$2`,
      );
    for (const name of ["package.json", "package-lock.json"])
      writeFileSync(join(copy, name), JSON.stringify({ ...JSON.parse(read(name)), version: VERSION }));
    utimesSync(join(copy, "package-lock.json"), 0, 0);
    for (const name of ["Dockerfile", "docs/install.md", "docs/operation/air-gapped.md"])
      replace(name, version, VERSION);
    await commit("the version everywhere");
    const { made, output } = await release("release", {
      RELEASE_PACKAGES: packages,
      RELEASE_KEY: "Release",
      RELEASE_KEYRING: join(folder, "secret.gpg"),
    });
    expect([made, output]).toEqual([true, expect.stringContaining("SHA256SUMS")]);
  });

  test("has a package that helm verifies, and checksums of every file", async () => {
    const name = `fleet-gateway-${VERSION}`;
    expect(readdirSync(made("")).toSorted()).toEqual(
      [
        ...[".chart.cdx.json", ".image.cdx.json", ".tgz", ".tgz.prov"].map((end) => name + end),
        ...[`fleet-gateway-worker-${VERSION}.image.cdx.json`, "NOTES.md", "SHA256SUMS"],
      ].toSorted(),
    );
    const { stdout } = await run("sha256sum", ["--check", "SHA256SUMS"], { cwd: made("") });
    expect(stdout.match(/: OK$/gm)).toHaveLength(6);
    const verify = () =>
      run(tool("helm"), ["verify", made(`${name}.tgz`), "--keyring", join(folder, "public.gpg")]);
    expect((await verify()).stdout).toContain("Signed by: Release");
    const whole = readFileSync(made(`${name}.tgz`));
    writeFileSync(made(`${name}.tgz`), Buffer.concat([whole, Buffer.alloc(1)]));
    await expect(verify()).rejects.toThrow(/sha256 sum does not match/);
    writeFileSync(made(`${name}.tgz`), whole);
  });

  test("names its changes, its images and its license for Artifact Hub", async () => {
    const { stdout } = await run(tool("helm"), ["show", "chart", made(`fleet-gateway-${VERSION}.tgz`)]);
    const { version, home, icon, annotations } = parse(stdout);
    expect([version, new URL(home).protocol, icon]).toEqual([
      VERSION,
      "https:",
      expect.stringMatching(/\.svg$/),
    ]);
    expect(annotations["artifacthub.io/license"]).toBe("Apache-2.0");
    expect(parse(annotations["artifacthub.io/changes"])).toEqual([
      { kind: "added", description: "A thing." },
    ]);
    expect(parse(annotations["artifacthub.io/links"])).toHaveLength(3);
    const images = parse(annotations["artifacthub.io/images"]).map(({ image }: { image: string }) => image);
    expect(images).toContain(`fleet-gateway:${VERSION}`);
    expect(images).toHaveLength(5);
  });

  test("has the notes of its version alone", () => {
    expect(readFileSync(made("NOTES.md"), "utf8")).toBe(
      `# Fleet Gateway ${VERSION}\n\n### Added\n\n- A thing.\n`,
    );
  });

  test.each([
    ["fleet-gateway", "chart", ["postgres", "docker.io/library/redis", "docker.io/pgsty/silo"]],
    ["fleet-gateway", "image", inImages],
    ["fleet-gateway-worker", "image", [...inImages, "ffmpeg"]],
  ])("has a valid SBOM of %s, the %s", (name, what, parts) => {
    const bom = json(`${name}-${VERSION}.${what}.cdx.json`);
    const validate = cycloneDx();
    validate(bom);
    expect(validate.errors ?? []).toEqual([]);
    expect(bom.metadata.component).toMatchObject({ name, version: VERSION });
    const names = bom.components.map((part: { name: string }) => part.name);
    expect(names).toEqual(expect.arrayContaining(parts));
    expect(names).not.toContain("jest");
  });

  test("has Debian's packages of each platform in the SBOM of an image, and those of both once", () => {
    const { components } = json(`fleet-gateway-${VERSION}.image.cdx.json`);
    const purls = components.map(({ purl }: { purl: string }) => purl);
    expect(purls.filter((purl: string) => purl.startsWith("pkg:deb/"))).toEqual([
      "pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bdeb12u1?arch=amd64&distro=debian-12",
      "pkg:deb/debian/fonts-dejavu-core@2.37-6?arch=all&distro=debian-12",
      "pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bdeb12u1?arch=arm64&distro=debian-12",
    ]);
  });
});

/** Holds a document against CycloneDX's own schema. */
function cycloneDx() {
  const schemas = join(packageRoot, "node_modules/@cyclonedx/cyclonedx-library/res/schema");
  const schema = (name: string) =>
    JSON.parse(readFileSync(join(schemas, `${name}.SNAPSHOT.schema.json`), "utf8"));
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ["spdx", "jsf-0.82"])
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  return ajv.compile(schema("bom-1.5"));
}
