import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../platform/process/version";

/** The stack's state folder without `--state`. */
export const defaultStateFolder = join(packageRoot, ".fleet");

/** The content of a running stack's `.fleet/ready.json`; null for a part that it does not run. */
export interface Ready {
  /** Address of the web console; absent without it. */
  readonly console?: string;
  /** Origin of the HTTP API and of Socket.IO. */
  readonly gateway: string | null;
  readonly relay: string | null;
  readonly tunnel: string | null;
  readonly jumphost: string | null;
  readonly database: string | null;
  readonly redis: string | null;
  readonly s3: string | null;
  readonly smtp: string | null;
  /** Base of Janus's HTTP API; absent without one. */
  readonly janus?: string;
  readonly user: { readonly username: string; readonly password: string } | null;
  readonly drone_id: number | null;
}

/** Before the first part has started. */
export const nothingReady: Ready = {
  gateway: null,
  relay: null,
  tunnel: null,
  jumphost: null,
  database: null,
  redis: null,
  s3: null,
  smtp: null,
  user: null,
  drone_id: null,
};

export const readyFile = (stateFolder: string) => join(stateFolder, "ready.json");

/** Reads the running stack's `ready.json`. Throws an error that names the start command when no stack runs. */
export function readReady(stateFolder: string): Ready {
  try {
    return JSON.parse(readFileSync(readyFile(stateFolder), "utf8")) as Ready;
  } catch (cause) {
    throw new Error("The stack is not running. Start it in another terminal with: npm start", { cause });
  }
}
