import { z } from "zod";
import { toNumber } from "../../domain/ipv4";
import type { Plane } from "../../domain/tunnel-planes";
import type { Os } from "../os/os";

const Routes = z.array(z.object({ dst: z.string(), dev: z.string().optional() }));

/** Throws, naming both, when the node already routes a part of the plane elsewhere. */
export async function refuseOverlap(os: Os, plane: Plane): Promise<void> {
  const routes = Routes.parse(
    JSON.parse(await os.run(["ip", "-json", "-4", "route", "show", "table", "all"])),
  );
  const other = routes.find(({ dst, dev }) => dev !== plane.interface && overlaps(dst, plane.network));
  if (other) {
    throw new Error(
      `The ${plane.name} plane ${plane.network} overlaps the node's route ${other.dst}` +
        `${other.dev ? ` (${other.dev})` : ""}: one of them has to move.`,
    );
  }
}

/** Whether two CIDRs share an address. The default route is everybody's and overlaps none. */
export function overlaps(a: string, b: string): boolean {
  if (a === "default") return false;
  const [first, second] = [parse(a), parse(b)];
  const bits = Math.min(first.bits, second.bits);
  if (bits === 0) return false;
  const size = 2 ** (32 - bits);
  return Math.floor(first.address / size) === Math.floor(second.address / size);
}

function parse(cidr: string): { address: number; bits: number } {
  const [address, bits] = cidr.split("/");
  return { address: toNumber(address as string), bits: bits === undefined ? 32 : Number(bits) };
}
