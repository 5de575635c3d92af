import { planes } from "../../domain/tunnel-planes";
import { CommandError, type Os } from "../os/os";
import { type Fleet, isReachable } from "../reconcile/fleet";
import { openPorts } from "./pairs";

/** A connection that a user opened to a drone. */
interface Flow {
  readonly protocol: string;
  readonly user: string;
  readonly drone: string;
  readonly port: string;
}

/**
 * Forget the connections between the planes that the rows do not allow: other rules of this node that accept known
 * connections then accept these no longer. Resolves with how many kinds were forgotten.
 */
export async function forgetRevoked(os: Os, fleet: Fleet): Promise<number> {
  const text = await os.run(["conntrack", "-L", "--orig-src", planes.users.network]);
  const isAllowed = allowedBy(fleet);
  const revoked = new Map<string, Flow>();
  for (const line of text.split("\n")) {
    const flow = readFlow(line);
    if (!flow?.drone.startsWith("10.71.") || isAllowed(flow)) continue;
    revoked.set(`${flow.user},${flow.protocol}:${flow.port},${flow.drone}`, flow);
  }
  for (const { protocol, user, drone, port } of revoked.values()) {
    const which = ["-p", protocol, "--orig-src", user, "--orig-dst", drone];
    const command = ["conntrack", "-D", ...which, ...(port ? ["--orig-port-dst", port] : [])];
    await os.run(command).catch(ignoreGone);
  }
  return revoked.size;
}

const allowedBy =
  ({ byAddress }: Fleet) =>
  ({ protocol, user, drone, port }: Flow): boolean => {
    const [from, to] = [byAddress.users.get(user), byAddress.drones.get(drone)];
    if (!from || !to || !isReachable(from, to)) return false;
    return openPorts(to).some((open) => open.protocol === protocol && String(open.port) === port);
  };

/** `tcp 6 431999 ESTABLISHED src=10.70.0.2 dst=10.71.0.2 sport=40000 dport=5001 src=…`, the opener's half first. */
function readFlow(line: string): Flow | undefined {
  const [, protocol, user, drone, port] =
    /^(\w+)\s.*?\bsrc=(\S+) dst=(\S+)(?: sport=\d+ dport=(\d+))?/.exec(line) ?? [];
  return protocol && user && drone ? { protocol, user, drone, port: port ?? "" } : undefined;
}

/** `conntrack -D` fails when there was nothing to delete: the connection ended by itself. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof CommandError && error.status === 1)) throw error;
}
