import { copyFileSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { packageRoot } from "../../src/platform/process/version";
import { freshFolder } from "../../src/testing";
import { run } from "../chart/helm";
import { filesIn, machineOf, machines } from "./elf";

/** The packages that run in production as an arm64 machine installs them, without running anything of them. */
let modules: string;
beforeAll(async () => {
  const folder = freshFolder("arm64");
  for (const name of ["package.json", "package-lock.json", ".npmrc"])
    copyFileSync(join(packageRoot, name), join(folder, name));
  const options = [
    "--omit=dev",
    "--os=linux",
    "--cpu=arm64",
    "--libc=glibc",
    "--ignore-scripts",
    "--no-audit",
  ];
  await run("npm", ["ci", ...options], { cwd: folder });
  modules = join(folder, "node_modules");
});

const nativeFiles = (folder: string): string[] =>
  filesIn(folder).filter((name) => /\.(node|so[.\d]*)$/.test(name));

test("argon2 has a build for arm64, where its loader looks for it", () => {
  const built = nativeFiles(join(modules, "argon2/prebuilds/linux-arm64"));
  expect(built.map((file) => file.split("/").at(-1))).toContain("argon2.armv8.glibc.node");
  expect(built.map(machineOf)).toEqual(built.map(() => machines.arm64));
});

test("sharp and its libvips have builds for arm64, under the names that sharp requires", () => {
  const { optionalDependencies } = JSON.parse(readFileSync(join(modules, "sharp/package.json"), "utf8"));
  for (const name of ["@img/sharp-linux-arm64", "@img/sharp-libvips-linux-arm64"]) {
    const { version, cpu } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
    expect([version, cpu]).toEqual([optionalDependencies[name], ["arm64"]]);
    const files = nativeFiles(join(modules, name));
    expect(files.length).toBeGreaterThan(0);
    expect(files.map(machineOf)).toEqual(files.map(() => machines.arm64));
  }
});

test("no other package has a native part", () => {
  const others = filesIn(modules).filter(
    (name) => name.endsWith(".node") && !/^(argon2|@img|@swc)\//.test(relative(modules, name)),
  );
  expect(others).toEqual([]);
});
