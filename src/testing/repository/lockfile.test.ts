import { readFileSync } from "node:fs";
import { join } from "node:path";
import { missingPlatforms } from "../../../.ci/complete-lockfile.cjs";
import { packageRoot } from "../../platform/process/version";

test("the lock file lists every platform's packages, without which npm ci refuses it", () => {
  const lock = JSON.parse(readFileSync(join(packageRoot, "package-lock.json"), "utf8"));
  expect(Object.keys(lock.packages).length).toBeGreaterThan(100);
  expect(missingPlatforms(lock.packages).map(([location]) => location)).toEqual([]);
});

test("a platform package that npm left out is added with its parent's version and its own platform", () => {
  const missing = missingPlatforms({
    "": {},
    "node_modules/tool": {
      dev: true,
      optionalDependencies: { "@tool/darwin-arm64": "1.2.3", "@tool/linux-x64-musl": "1.2.3", near: "1.0.0" },
    },
    "node_modules/tool/node_modules/near": {},
  });
  expect(missing).toEqual([
    [
      "node_modules/@tool/darwin-arm64",
      { version: "1.2.3", cpu: ["arm64"], dev: true, optional: true, os: ["darwin"] },
    ],
    [
      "node_modules/@tool/linux-x64-musl",
      { version: "1.2.3", cpu: ["x64"], dev: true, libc: ["musl"], optional: true, os: ["linux"] },
    ],
  ]);
});

test("an optional package without a platform is an error", () => {
  expect(() =>
    missingPlatforms({ "node_modules/tool": { optionalDependencies: { extra: "^1.0.0" } } }),
  ).toThrow("extra@^1.0.0 is missing");
});
