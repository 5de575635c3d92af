import { Ipv4 } from "../../domain/ipv4";
import { type PlaneName, planeNames, planes } from "../../domain/tunnel-planes";
import { overlaps } from "../wireguard/routes";
import type { OpenPort } from "./open-port";

/** A destination that the operator opens in addition to the pairs. */
export interface ExtraAllow {
  /** A plane, or the CIDR that packets come from. */
  readonly from: { readonly plane: PlaneName } | { readonly source: string };
  readonly destination: string;
  /** Any protocol when absent. */
  readonly service?: OpenPort;
}

const shape = /^(?:([^>]+)>)?([\d.]+(?:\/\d{1,2})?)(?::(tcp|udp)\/(\d{1,5}))?$/;

/**
 * `[users>|drones>|CIDR>]CIDR[:tcp/PORT|:udp/PORT]`; from both planes when no source is named. An entry cannot
 * open a plane to a plane: the database alone says which user reaches which drone.
 */
export function parseExtraAllow(text: string): ExtraAllow[] {
  const bad = (why: string) => new Error(`FIREWALL_EXTRA_ALLOW: "${text}" ${why}.`);
  const [, from, destination, protocol, digits] = shape.exec(text) ?? [];
  if (!destination || !isCidr(destination)) {
    throw bad("is not [users>|drones>|CIDR>]CIDR[:tcp/PORT|:udp/PORT]");
  }
  const port = Number(digits);
  if (protocol && (port < 1 || port > 65535)) throw bad("names a port that does not exist");
  const service = protocol ? { service: { protocol: protocol as "tcp" | "udp", port } } : {};
  const named = planeNames.filter((name) => from === undefined || from === name);
  if (named.length === 0) {
    if (!isCidr(from as string)) throw bad("comes from neither a plane nor a CIDR");
    if (planeNames.some((name) => overlaps(from as string, planes[name].network))) {
      throw bad("comes from a part of a plane; name the plane");
    }
    return [{ from: { source: from as string }, destination, ...service }];
  }
  if (planeNames.some((name) => overlaps(destination, planes[name].network))) {
    throw bad("would open a plane to a plane");
  }
  return named.map((plane) => ({ from: { plane }, destination, ...service }));
}

/** Name resolution, for both planes. */
export const allowDns = (server: string): ExtraAllow[] =>
  (["udp", "tcp"] as const).flatMap((protocol) => parseExtraAllow(`${server}/32:${protocol}/53`));

function isCidr(text: string): boolean {
  const [address, bits = "32"] = text.split("/");
  return Ipv4.safeParse(address).success && Number(bits) >= 0 && Number(bits) <= 32;
}
