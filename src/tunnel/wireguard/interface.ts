import { z } from "zod";
import type { Plane } from "../../domain/tunnel-planes";
import { retry } from "../../platform/retry";
import { CommandError, type Os } from "../os/os";
import { type ObservedInterface, parseDump } from "../reconcile/observed";
import type { KeyPair } from "./keys";
import { refuseOverlap } from "./routes";

export interface InterfaceSettings {
  readonly plane: Plane;
  readonly hubKey: KeyPair;
  readonly mtu: number;
  /** Where a new interface comes from; `auto` takes the kernel's WireGuard when it has one. */
  readonly dataplane: "auto" | "kernel" | "wireguard-go";
  /** Where the kernel is not asked or cannot: another process makes it, wait for that. */
  readonly external?: boolean;
  /**
   * Whether it may carry packets now, asked at the last moment; always when absent. While it may not, its peers are
   * in place but it is down and has no key. Down alone would not do: wireguard-go does not notice that under kernels of
   * today, goes on listening and answers handshakes.
   */
  readonly mayCarry?: () => boolean;
}

const Links = z.array(
  z.object({
    mtu: z.number(),
    flags: z.array(z.string()),
    addr_info: z.array(z.object({ local: z.string().optional(), prefixlen: z.number().optional() })),
  }),
);

export const readDump = (os: Os, name: string): Promise<string> => os.run(["wg", "show", name, "dump"]);

const readInterface = async (os: Os, name: string): Promise<ObservedInterface> =>
  parseDump(await readDump(os, name));

type Link = z.infer<typeof Links>[number];

type KeyAndPort = Pick<ObservedInterface, "publicKey" | "listenPort">;

/** As `wg` prints the public key of an interface that has none. */
const NO_KEY = "(none)";

const hasKeyAndPort = (settings: InterfaceSettings, observed: KeyAndPort): boolean =>
  mayCarry(settings)
    ? observed.publicKey === settings.hubKey.publicKey && observed.listenPort === settings.plane.port
    : observed.publicKey === NO_KEY;
const hasAddress = ({ plane }: InterfaceSettings, link: Link): boolean =>
  link.addr_info.some(({ local, prefixlen }) => local === plane.hub && prefixlen === plane.prefixLength);
const mayCarry = ({ mayCarry }: InterfaceSettings): boolean => mayCarry?.() ?? true;
const isUp = (link: Link): boolean => link.flags.includes("UP");
const carriesWithMtu = (settings: InterfaceSettings, link: Link): boolean =>
  link.mtu === settings.mtu && isUp(link) === mayCarry(settings);

/** Whether `ensureInterface` would find nothing to do. Looks only. */
export async function isInterfaceCurrent(
  os: Os,
  settings: InterfaceSettings,
  observed: KeyAndPort,
): Promise<boolean> {
  const link = await readLink(os, settings.plane.interface);
  if (!link) return false;
  return hasKeyAndPort(settings, observed) && hasAddress(settings, link) && carriesWithMtu(settings, link);
}

/** Whether an interface of that name is there and up. */
export async function isInterfaceUp(os: Os, name: string): Promise<boolean> {
  const link = await readLink(os, name);
  return link !== undefined && isUp(link);
}

/**
 * Make the plane's interface what it should be, touching only what differs: one that is up with the right key
 * is left alone, also when another program made it. One that carries and may not is made anew, which drops its sessions.
 * Resolves with the interface as it now is, and with what was changed.
 */
export async function ensureInterface(
  os: Os,
  settings: InterfaceSettings,
): Promise<{ observed: ObservedInterface; changes: string[] }> {
  const { plane, hubKey, mtu } = settings;
  const name = plane.interface;
  const changes: string[] = [];
  let link = await readLink(os, name);
  if (link && !mayCarry(settings) && (isUp(link) || (await readInterface(os, name)).publicKey !== NO_KEY)) {
    await removeInterface(os, name);
    changes.push("removed with its sessions");
    link = undefined;
  }
  if (!link) {
    await refuseOverlap(os, plane);
    changes.push(`created by ${await createInterface(os, settings)}`);
    link = await readLink(os, name);
    if (!link) throw new Error(`${name} was made and is not there.`);
  }
  if (!hasAddress(settings, link)) {
    await os.run(["ip", "address", "add", `${plane.hub}/${plane.prefixLength}`, "dev", name]);
    changes.push(`address ${plane.hub} added`);
  }
  if (!carriesWithMtu(settings, link)) {
    const state = mayCarry(settings) ? "up" : "down";
    await os.run(["ip", "link", "set", name, "mtu", String(mtu), state]);
    changes.push(`${state} with MTU ${mtu}`);
  }
  let observed = await readInterface(os, name);
  // Last: one that has a key is up, so that the guard sees it.
  if (mayCarry(settings) && !hasKeyAndPort(settings, observed)) {
    const command = ["wg", "set", name, "listen-port", String(plane.port), "private-key", "/dev/stdin"];
    await os.run(command, { input: `${hubKey.privateKey}\n`, secret: true });
    changes.push("key and port set");
    observed = await readInterface(os, name);
  }
  return { observed, changes };
}

/**
 * Remove an interface and all its sessions; not a packet leaves it from then on. True when there was one. A
 * `wireguard-go` behind it ends by itself, a little later.
 */
export async function removeInterface(os: Os, name: string): Promise<boolean> {
  if (!(await readLink(os, name))) return false;
  try {
    await os.run(["ip", "link", "delete", name]);
    return true;
  } catch (error) {
    // Somebody else was first.
    if (await readLink(os, name)) throw error;
    return false;
  }
}

async function readLink(os: Os, name: string) {
  try {
    return Links.parse(JSON.parse(await os.run(["ip", "-json", "address", "show", "dev", name])))[0];
  } catch (error) {
    if (error instanceof CommandError && error.stderr.includes("does not exist")) return undefined;
    throw error;
  }
}

async function createInterface(
  os: Os,
  { plane, dataplane, external }: InterfaceSettings,
): Promise<"the kernel" | "wireguard-go" | "another process"> {
  const name = plane.interface;
  if (dataplane !== "wireguard-go") {
    try {
      await os.run(["ip", "link", "add", name, "type", "wireguard"]);
      return "the kernel";
    } catch (error) {
      if (dataplane === "kernel" || !lacksWireGuard(error)) throw error;
    }
  }
  if (external) {
    await until(async () => {
      await readInterface(os, name);
      // It may be the one before, which is about to end.
      if (!(await readLink(os, name))) throw new Error(`${name} is not there.`);
    }, EXTERNAL_LIMIT_MS);
    return "another process";
  }
  await ended(os, name);
  // Packets go before whatever else this node computes, the daemon's own looks included. It goes to the background by
  // itself once its socket accepts: `wg` removes a socket that it finds before that, and wireguard-go ends then.
  await os.run(["setsid", "nice", "-n", "-10", "env", "LOG_LEVEL=silent", "wireguard-go", name]);
  return "wireguard-go";
}

/** A `wireguard-go` whose interface was removed has its socket for a moment more, and the next one needs it. */
async function ended(os: Os, name: string): Promise<void> {
  const stillAnswers = () =>
    readInterface(os, name).then(
      () => true,
      () => false,
    );
  await until(async () => {
    if (await stillAnswers()) throw new Error(`The wireguard-go that ${name} had does not end.`);
  }, 5_000);
}

/** Then it is named in the log, and waited for again. */
const EXTERNAL_LIMIT_MS = 3_000;

export const lacksWireGuard = (error: unknown): boolean =>
  error instanceof CommandError && /Unknown device type|not supported/.test(error.stderr);

const until = (attempt: () => Promise<unknown>, limitMs: number): Promise<unknown> =>
  retry(attempt, { firstMs: 20, limitMs });
