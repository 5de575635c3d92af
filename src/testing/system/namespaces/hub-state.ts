import type { Namespace } from "./namespace";

/** What a person on the hub sees of WireGuard and the firewall, without what differs from run to run. */
export async function showHub(hub: Namespace, keys: ReadonlyMap<string, string>): Promise<string> {
  const parts = [
    await shownPeers(hub, keys),
    await shownTables(hub, "nft"),
    await shownTables(hub, "legacy"),
    await shownPairs(hub),
  ];
  return parts.filter(Boolean).join("\n\n").concat("\n");
}

/** `wg show`, peers by their addresses, `keys` by the names of those who have them. */
async function shownPeers(hub: Namespace, keys: ReadonlyMap<string, string>): Promise<string> {
  const shown = await Promise.all(
    ["users0", "drones0"].map(async (name) => {
      const [own = "", ...peers] = (await hub.shell(`wg show ${name}`)).trim().split("\n\n");
      const sorted = peers.sort((a, b) => allowedIps(a).localeCompare(allowedIps(b)));
      return [`# wg show ${name}`, own, ...sorted].join("\n\n").replace("\n\n", "\n");
    }),
  );
  return shown
    .join("\n\n")
    .replaceAll(/[A-Za-z0-9+/]{43}=/g, (key) => `(${keys.get(key) ?? "whose?"})`)
    .replaceAll(/(endpoint: [\d.]+):\d+/g, "$1:(port)")
    .replaceAll(/(latest handshake|transfer): .*/g, "$1: …");
}

const allowedIps = (peer: string): string => /allowed ips: (.*)/.exec(peer)?.[1] ?? "";

/** `iptables-save` of the tables that we have a part in; empty when there is nothing but what every node has. */
async function shownTables(hub: Namespace, backend: "nft" | "legacy"): Promise<string> {
  const tables = await Promise.all(
    ["filter", "mangle"].map((table) => hub.shell(`iptables-${backend}-save -t ${table}`)),
  );
  const text = tables.join("");
  if (!/^-A/m.test(text)) return "";
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return [`# iptables-${backend}-save`, ...lines.map((line) => line.replace(/ \[\d+:\d+\]$/, ""))].join("\n");
}

async function shownPairs(hub: Namespace): Promise<string> {
  const [create = "", ...elements] = (await hub.shell("ipset save fleet-pairs")).trim().split("\n");
  // The rest of it are the kernel's own figures.
  const [shape] = create.split(" hashsize");
  return ["# ipset save fleet-pairs", shape, ...elements.sort()].join("\n");
}
