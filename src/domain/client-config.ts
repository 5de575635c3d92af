import { type Member, type PeerId, peerId } from "./peers";

/** The object that holds a row's client config: `vpn/users/12.conf`. */
export const configKey = ({ plane, rowId }: Pick<Member, "plane" | "rowId">): string =>
  `vpn/${plane}/${rowId}.conf`;

const opening = "# fleet-gateway peer ";

/** A config's first line, which names whose it is. The private key comes after it. */
export const identityLine = (member: Pick<Member, "plane" | "keyId" | "ip">): string =>
  `${opening}${peerId(member)}\n`;

/** Whose config a text is; undefined when its first line is missing or damaged. */
export function identityOf(config: string): PeerId | undefined {
  const [, id] = new RegExp(`^${opening}(\\S+)\\n`, "m").exec(config) ?? [];
  return id as PeerId | undefined;
}
