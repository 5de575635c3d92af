import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Component } from "./bom";

/** A package that dpkg has installed. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** `amd64`, `arm64`, `all` */
  readonly architecture: string;
}

/** Of dpkg's file `status`. */
export const installedPackages = (status: string): DebianPackage[] =>
  status.split("\n\n").flatMap((paragraph) => {
    const field = (name: string): string => new RegExp(`^${name}: (.+)$`, "m").exec(paragraph)?.[1] ?? "";
    if (!field("Status").endsWith(" installed")) return [];
    return [{ name: field("Package"), version: field("Version"), architecture: field("Architecture") }];
  });

/**
 * Debian's packages in an image, on each platform that the folder has it for: what the target `packages` of Dockerfile
 * writes. `release` is Debian's, such as 12.
 */
export function debianComponents(folder: string, image: string, release: string): Component[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => basename(name) === image,
  );
  if (files.length === 0) throw new Error(`${folder} does not say which packages ${image} has.`);
  const parts = files
    .flatMap((name) => installedPackages(readFileSync(join(folder, name), "utf8")))
    .map((one) => component(one, release));
  return [...new Map(parts.map((part) => [part.purl, part])).values()];
}

function component({ name, version, architecture }: DebianPackage, release: string): Component {
  const path = `${encodeURIComponent(name)}@${encodeURIComponent(version)}`;
  const purl = `pkg:deb/debian/${path}?arch=${architecture}&distro=debian-${release}`;
  return { type: "library", name, version, purl };
}
