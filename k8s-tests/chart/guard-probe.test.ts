import { utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freshFolder } from "../../src/testing";
import { hubAddress, render, run } from "./helm";
import { containersOf, workloads } from "./pods";

test("the guard's probe passes while its liveness file is fresh, and fails when the file is old or missing", async () => {
  const values = {
    tunnel: { enabled: true, endpointHost: "vpn.example.com", lease: { enabled: true } },
    ...hubAddress,
  };
  const guard = workloads(await render(values))
    .flatMap(({ pod }) => containersOf(pod))
    .find(({ name }) => name === "guard");
  const [shell = "", ...words] = guard?.livenessProbe?.exec?.command ?? [];
  const sign = "/run/fleet-tunnel/guard.alive";
  const here = join(freshFolder("guard"), "guard.alive");
  expect(words.join(" ")).toContain(sign);
  expect(dirname(sign)).toBe("/run/fleet-tunnel");
  const probe = () =>
    run(
      shell,
      words.map((word) => word.replace(sign, here)),
    );
  await expect(probe()).rejects.toThrow();
  writeFileSync(here, "");
  await expect(probe()).resolves.toBeDefined();
  const old = Date.now() / 1000 - 12;
  utimesSync(here, old, old);
  await expect(probe()).rejects.toThrow();
});
