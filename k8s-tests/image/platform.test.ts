import { relative } from "node:path";
import { filesOf, images, podman, runToEnd } from "./container";
import { filesIn, machineOf, machines } from "./elf";

/** The processor that the image is built for; this machine's, unless `run` is told another one, which QEMU then emulates. */
const architecture = process.env.FLEET_IMAGE_ARCHITECTURE ?? process.arch.replace("x64", "amd64");

test("the image says for which processor it is", async () => {
  const [image] = JSON.parse(await podman("inspect", "--type=image", images.main));
  expect([image.Os, image.Architecture]).toEqual(["linux", architecture]);
});

test("every program and library in the image is for its processor", async () => {
  const root = await filesOf(images.main);
  const programs = filesIn(root)
    .map((file) => ({ file: relative(root, file), machine: machineOf(file) }))
    .filter(({ machine }) => machine !== undefined);
  expect(programs.map(({ file }) => file)).toContain("usr/local/bin/node");
  expect(programs.filter(({ machine }) => machine !== machines[architecture])).toEqual([]);
});

test("the native modules work in it: argon2 hashes a password, sharp makes a JPEG", async () => {
  const script = `
    const argon2 = require("argon2");
    const sharp = require("sharp");
    (async () => {
      const isVerified = await argon2.verify(await argon2.hash("a password"), "a password");
      const create = { width: 64, height: 48, channels: 3, background: "red" };
      const { format, width } = await sharp(await sharp({ create }).jpeg().toBuffer()).metadata();
      process.stdout.write(JSON.stringify({ cpu: process.arch, isVerified, format, width }));
    })();`;
  expect(JSON.parse(await runToEnd(images.main, {}, "node", "--eval", script))).toEqual({
    cpu: architecture.replace("amd64", "x64"),
    isVerified: true,
    format: "jpeg",
    width: 64,
  });
});

test("the operator's shell starts in it", async () => {
  expect(await runToEnd(images.main, {}, "node", "dist/cmd/admin.js", "keys")).toMatch(/^JWT_SECRET=/m);
});
