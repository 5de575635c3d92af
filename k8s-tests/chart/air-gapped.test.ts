import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import { packageRoot } from "../../src/platform/process/version";
import { freshFolder } from "../../src/testing";
import { hubAddress, kubernetesMinors, matrix, render, run, tool } from "./helm";
import { containersOf, workloads } from "./pods";
import { chartFolder } from "./values/values-schema";

const page = readFileSync(join(packageRoot, "docs/operation/air-gapped.md"), "utf8");

/** docs/operation/air-gapped.md's own command that lists images, which reads the values of a file. */
const [, listing = ""] = /^(helm template [^>]*) > images\.txt$/m.exec(page) ?? [];

async function listed(values: object, example?: string): Promise<string[]> {
  const file = join(freshFolder("values"), "values.yaml");
  writeFileSync(file, stringify(values));
  const files = [...(example ? [join(chartFolder, "examples", `${example}.yaml`)] : []), file];
  // A helm that was compiled without a version believes in an older cluster.
  const command = listing
    .replace("--values values.yaml", files.map((one) => `--values ${one}`).join(" "))
    .replace(" | sed", ` --kube-version ${kubernetesMinors[0]}.0 | sed`)
    .replace("\\\n", "");
  const PATH = `${dirname(tool("helm"))}:${process.env.PATH}`;
  const { stdout } = await run("bash", ["-o", "pipefail", "-c", command], {
    cwd: packageRoot,
    env: { ...process.env, PATH },
  });
  return stdout.trim().split("\n");
}

const imagesOf = async (...given: Parameters<typeof render>) => {
  const containers = workloads(await render(...given)).flatMap(({ pod }) => containersOf(pod));
  return [...new Set(containers.map(({ image }) => image))].toSorted();
};

test.each(matrix)(
  "with $name every image that is rendered is listed, and no other",
  async ({ values, example }) => {
    const images = await imagesOf(values, example);
    expect(images.length).toBeGreaterThan(0);
    expect((await listed(values, example)).toSorted()).toEqual(images);
  },
);

test("with the page's registry every image comes from there, under the name of its push", async () => {
  const [, yaml = ""] = /```yaml\n(image: .*?)```/s.exec(page) ?? [];
  const registry = parse(yaml) as { registry: { url: string } };
  const values = {
    ...hubAddress,
    tunnel: { enabled: true, endpointHost: "vpn.example.com" },
    worker: { enabled: true },
  };
  const pushed = (await listed(values)).map((image) => `${registry.registry.url}/${image.split("/").at(-1)}`);
  expect(pushed.length).toBe(5);
  expect(await imagesOf({ ...values, ...registry })).toEqual(pushed.toSorted());
});

test("every pod of the release pulls with the Secrets that the page names", async () => {
  const pull = { image: { pullSecrets: ["registry"] } };
  const values = {
    ...pull,
    ...Object.fromEntries(["postgres", "redis", "minio"].map((name) => [name, pull])),
  };
  for (const { object, pod } of workloads(await render(values))) {
    expect([object.metadata.name, pod.imagePullSecrets]).toEqual([
      object.metadata.name,
      [{ name: "registry" }],
    ]);
  }
});
