import { configKey } from "../../domain/client-config";
import type { Member } from "../../domain/peers";
import type { PlaneName } from "../../domain/tunnel-planes";
import type { PublicKey } from "../../domain/wireguard";
import type { IndexEntry } from "./index-object";
import { type HubForClients, templateOf } from "./text";

/** A config that has to be looked at, for it is not what the index or the hub's settings say. */
export interface Suspect {
  readonly member: Member;
  readonly hub: HubForClients;
  readonly publicKey: PublicKey;
  /** Not as long as it was written, or gone; else it only is of before the settings changed. */
  readonly isDamaged: boolean;
}

/** Compare members' configs with the store's list of objects, `sizes` in bytes by key; none is read. */
export function suspectsAmong(
  members: readonly Member[],
  entryOf: (member: Member) => IndexEntry | undefined,
  sizes: ReadonlyMap<string, number>,
  hubs: Readonly<Partial<Record<PlaneName, HubForClients>>>,
): Suspect[] {
  return members.flatMap((member) => {
    const entry = entryOf(member);
    const hub = hubs[member.plane];
    if (!entry || !hub) return [];
    const isDamaged = sizes.get(configKey(member)) !== entry.bytes;
    const isSound = !isDamaged && entry.template === templateOf(hub);
    return isSound ? [] : [{ member, hub, publicKey: entry.publicKey, isDamaged }];
  });
}
