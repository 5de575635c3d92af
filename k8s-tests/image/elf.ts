import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";

/** e_machine of ELF files, by the name that images have for the processor. */
export const machines: Readonly<Record<string, number>> = { amd64: 0x3e, arm64: 0xb7 };

/** e_machine of an ELF file; undefined of another file. */
export function machineOf(file: string): number | undefined {
  const header = Buffer.alloc(20);
  const descriptor = openSync(file, "r");
  readSync(descriptor, header);
  closeSync(descriptor);
  return header.readUInt32BE(0) === 0x7f454c46 ? header.readUInt16LE(18) : undefined;
}

/** Every file in a folder; no link is followed. */
export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
