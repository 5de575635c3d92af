import { readFileSync } from "node:fs";
import { join } from "node:path";
import { thirdPartyImages } from "../../.ci/release/images";
import { packageRoot } from "../../src/platform/process/version";
import { hubAddress, render } from "./helm";
import { containersOf, workloads } from "./pods";

const read = (file: string) => readFileSync(join(packageRoot, file), "utf8");

const rows = thirdPartyImages();

const ours = (image: string) => /(^|\/)fleet-gateway(-worker)?:/.test(image);

test("the page of images lists those of the chart and of the Dockerfiles, and no other", async () => {
  const objects = await render({
    ...hubAddress,
    tunnel: { enabled: true, endpointHost: "vpn.example.com" },
    worker: { enabled: true },
  });
  const run = workloads(objects).flatMap(({ pod }) => containersOf(pod).map(({ image }) => image));
  const builtOn = ["Dockerfile", "Dockerfile.onboard"].flatMap((file) =>
    [...read(file).matchAll(/^ARG (?:NODE|DEBIAN)_IMAGE=(\S+)/gm)].map(([, image = ""]) => image),
  );
  const used = new Set([...run.filter((image) => !ours(image)), ...builtOn]);
  expect(rows.map(({ image }) => image).toSorted()).toEqual([...used].toSorted());
});

test("the support of none has ended, and one alone names no end", () => {
  const [named, others] = [
    rows.filter(({ until }) => /^\d{4}-\d{2}-\d{2}$/.test(until)),
    rows.filter(({ until }) => until === "names none"),
  ];
  expect(named.length + others.length).toBe(rows.length);
  expect(others.map(({ image }) => image)).toEqual([expect.stringContaining("/silo:")]);
  const today = new Date().toISOString().slice(0, 10);
  expect(named.filter(({ until }) => until < today)).toEqual([]);
});

test("every image has a tag of one version", () => {
  for (const { image } of rows) expect(image).toMatch(/:(RELEASE\.\d{4}-|\d+\.\d+)/);
});

test("of an image for another processor, only Debian's installer runs on that processor", () => {
  const stages = ["Dockerfile", "Dockerfile.onboard"].flatMap((file) =>
    read(file)
      .split(/^FROM /m)
      .slice(1),
  );
  const emulated = stages.filter((stage) => !/^--platform=\$\{BUILDPLATFORM\} /.test(stage));
  const commands = emulated.flatMap((stage) => [...stage.matchAll(/^RUN (.*)$/gm)].map(([, line]) => line));
  expect(new Set(commands)).toEqual(new Set(["apt-get update \\"]));
});
