import { z } from "zod";

/** A dotted IPv4 address that has been parsed once. */
export const Ipv4 = z.ipv4().brand<"Ipv4">();
export type Ipv4 = z.infer<typeof Ipv4>;

/** The IPv4 address of a caller whom a socket of both families gives as `::ffff:10.71.0.2`; any other as it is. */
export const unmapIpv4 = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");

/** `10.70.0.2` → 172359682, unsigned. */
export function toNumber(address: string): number {
  return address.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0);
}

export function fromNumber(value: number): Ipv4 {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".") as Ipv4;
}
