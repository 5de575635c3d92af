import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type PlaneName, planes } from "../../domain/tunnel-planes";
import { generateKeyPair, type KeyPair, readHubKey } from "./keys";

interface HubKeySettings {
  readonly USERS_PRIVATE_KEY?: string | undefined;
  readonly DRONES_PRIVATE_KEY?: string | undefined;
  readonly TUNNEL_STATE_FOLDER?: string | undefined;
}

/**
 * A plane's hub key: the variable's, else the one that the state folder keeps, made there at the first start.
 * Throws, naming the variable and never its value, when there is none or it is not a key.
 */
export function hubKey(plane: PlaneName, settings: HubKeySettings): KeyPair {
  const name = plane === "users" ? "USERS_PRIVATE_KEY" : "DRONES_PRIVATE_KEY";
  const given = settings[name];
  if (given !== undefined || !settings.TUNNEL_STATE_FOLDER) return readHubKey(name, given);
  return readHubKey(`${planes[plane].interface}.key`, keptKey(settings.TUNNEL_STATE_FOLDER, plane));
}

function keptKey(folder: string, plane: PlaneName): string {
  const file = join(folder, `${planes[plane].interface}.key`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, `${generateKeyPair().privateKey}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8").trim();
}
