import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Whether a folder of `path`, which is a PATH, has the program. */
export const isInstalled = (program: string, path = ""): boolean =>
  path.split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, program)));
