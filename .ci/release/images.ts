import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/platform/process/version";

/** A row of docs/operation/images.md. */
export interface ThirdPartyImage {
  readonly image: string;
  /** `bundled Postgres`, `base of our images` */
  readonly runsAs: string;
  /** The end of its support, YYYY-MM-DD, or `names none`. */
  readonly until: string;
}

/** The images that docs/operation/images.md lists. */
export const thirdPartyImages = (): ThirdPartyImage[] =>
  [
    ...readFileSync(join(packageRoot, "docs/operation/images.md"), "utf8").matchAll(
      /^\| `(\S+)` \| ([^|]+) \| ([^|]+) \|/gm,
    ),
  ].map(([, image = "", runsAs = "", until = ""]) => ({ image, runsAs, until }));
