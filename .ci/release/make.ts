import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseDocument, stringify } from "yaml";
import { packageRoot, version as packageVersion } from "../../src/platform/process/version";
import { type Bom, bomOf, type Component, imageComponent } from "./bom";
import { changesOf, newestRelease, type Release } from "./changelog";
import { debianComponents } from "./debian";
import { thirdPartyImages } from "./images";

const chart = "charts/fleet-gateway";
const ourImages = ["fleet-gateway", "fleet-gateway-worker"];

const read = (...path: string[]): string => readFileSync(join(packageRoot, ...path), "utf8");
const chartYaml = parse(read(chart, "Chart.yaml"));
const servers: string[] = chartYaml.dependencies.map(({ name }: { name: string }) => name);

/**
 * Writes into the folder what `run` does not make by helm: the chart with the annotations of this release, to be packaged;
 * the notes; the SBOMs.
 */
function main(folder: string): void {
  const release = newestRelease(read("CHANGELOG.md"));
  requireVersion(release.version);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const name = `fleet-gateway-${release.version}`;
  write("NOTES.md", `# Fleet Gateway ${release.version}\n\n${release.notes}\n`);
  write(`${name}.chart.cdx.json`, json(chartBom(release)));
  for (const image of ourImages)
    write(`${image}-${release.version}.image.cdx.json`, json(imageBom(image, release)));
  const archive = execFileSync("git", ["archive", "HEAD", chart], { cwd: packageRoot, maxBuffer: 2 ** 26 });
  execFileSync("tar", ["--extract", "--directory", folder], { input: archive });
  write(join(chart, "Chart.yaml"), annotated(release));
}

/** Throws when a file names another version than the changelog. */
function requireVersion(version: string): void {
  const named: Record<string, unknown> = {
    "package.json": packageVersion,
    "package-lock.json": JSON.parse(read("package-lock.json")).version,
    "ARG VERSION of Dockerfile": /^ARG VERSION=(\S+)$/m.exec(read("Dockerfile"))?.[1],
    "the chart's version": chartYaml.version,
    "the chart's appVersion": chartYaml.appVersion,
  };
  for (const { name, version } of chartYaml.dependencies) named[`the chart's dependency ${name}`] = version;
  for (const server of servers)
    named[`the chart ${server}`] = parse(read(chart, "charts", server, "Chart.yaml")).version;
  for (const page of ["docs/install.md", "docs/operation/air-gapped.md"])
    for (const [, image, found] of read(page).matchAll(
      /\b(fleet-(?:gateway|onboard)[a-z-]*)[:-](\d+\.\d+\.\d+)/g,
    ))
      named[`${image} of ${page}`] = found;
  const others = Object.entries(named).filter(([, found]) => found !== version);
  if (others.length === 0) return;
  const list = others.map(([where, found]) => `${where} (${found})`).join(", ");
  throw new Error(`CHANGELOG.md is at ${version}. Other versions: ${list}.`);
}

/** Chart.yaml with what changed, and with the images that it runs. */
function annotated({ version, notes }: Release): string {
  const document = parseDocument(read(chart, "Chart.yaml"));
  const ours = ourImages.map((image) => ({ name: image, image: `${image}:${version}` }));
  const images = [...ours, ...bundledImages().map((image) => ({ name: image.split(/[/:]/).at(-2), image }))];
  document.setIn(["annotations", "artifacthub.io/changes"], stringify(changesOf(notes)));
  document.setIn(["annotations", "artifacthub.io/images"], stringify(images));
  return document.toString({ lineWidth: 0 });
}

const imagesThatRunAs = (what: RegExp): string[] =>
  thirdPartyImages()
    .filter(({ runsAs }) => what.test(runsAs))
    .map(({ image }) => image);
const bundledImages = (): string[] => imagesThatRunAs(/^bundled/);

function chartBom({ version, date }: Release): Bom {
  const helm = (name: string): Component => ({
    ...{ type: "application", name, version },
    purl: `pkg:helm/${name}@${version}`,
  });
  const parts = [...servers.map(helm), ...bundledImages().map(imageComponent)];
  return bomOf(helm("fleet-gateway"), parts, `${date}T00:00:00Z`);
}

/** npm's packages that run in production, the images that ours are built on, and Debian's packages if they are known. */
function imageBom(name: string, { version, date }: Release): Bom {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only"];
  const packages: Bom = JSON.parse(
    execFileSync("npm", args, { cwd: packageRoot, encoding: "utf8", maxBuffer: 2 ** 26 }),
  );
  const bases = imagesThatRunAs(/our images/).map(imageComponent);
  const parts = [...bases, ...packages.components, ...debianPackages(name, bases)];
  const purl = `pkg:docker/${name}@${version}`;
  return bomOf({ type: "container", name, version, purl }, parts, `${date}T00:00:00Z`);
}

/** RELEASE_PACKAGES is a folder that says what Debian installed in the images. */
function debianPackages(image: string, bases: readonly Component[]): Component[] {
  const folder = process.env.RELEASE_PACKAGES;
  const debian = bases.find(({ name }) => name.endsWith("/debian"));
  return folder && debian ? debianComponents(folder, image, debian.version.split(".")[0] as string) : [];
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const [, , folder] = process.argv;
try {
  if (!folder) throw new Error("Name the folder.");
  main(folder);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
