import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installedPackages } from "../../.ci/release/debian";
import { filesOf, images, runToEnd } from "./container";

test.each([
  ["fleet-gateway", images.main, "wireguard-go"],
  ["fleet-gateway-worker", images.worker, "ffmpeg"],
])("the target `packages` says what Debian installed in %s, for its SBOM", async (name, image, one) => {
  const status = readFileSync(join(await filesOf(images.packages), name), "utf8");
  const listed = installedPackages(status);
  const format = `${["Package", "Version", "Architecture"].map((field) => `\${${field}}`).join(" ")}\\n`;
  const said = await runToEnd(image, {}, "dpkg-query", "--show", `--showformat=${format}`);
  expect(
    listed.map(({ name, version, architecture }) => `${name} ${version} ${architecture}`).toSorted(),
  ).toEqual(said.trim().split("\n").toSorted());
  expect(listed.map(({ name }) => name)).toContain(one);
});
