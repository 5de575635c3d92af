import { CommandError, type Os } from "../os/os";

export type Backend = "nft" | "legacy";

export const saveCommand = (backend: Backend, table: string): string[] => [
  `iptables-${backend}-save`,
  "-t",
  table,
];
/** Waits up to five seconds for the lock of the legacy tables. */
export const restoreCommand = (backend: Backend): string[] =>
  backend === "legacy"
    ? ["iptables-legacy-restore", "--noflush", "--wait", "5"]
    : ["iptables-nft-restore", "--noflush"];

/** Chains by which the kubelet tells which backend the host uses. */
const hint = /KUBE-IPTABLES-HINT|KUBE-KUBELET-CANARY/;
const rule = /^-A (?!FLEET-)(?!\S+ -j FLEET-)/gm;

/**
 * The backend that the host's own rules are in: an ACCEPT in one does not override a REJECT in the other.
 * The kubelet's hint decides, then the larger number of rules, then what `iptables` itself stands for.
 */
export async function hostBackend(os: Os): Promise<Backend> {
  const [nft, legacy] = await Promise.all([
    os.run(["iptables-nft-save"]).catch(emptyWhenMissing),
    os.run(["iptables-legacy-save"]).catch(emptyWhenMissing),
  ]);
  if (hint.test(nft) !== hint.test(legacy)) return hint.test(nft) ? "nft" : "legacy";
  const rules = { nft: nft.match(rule)?.length ?? 0, legacy: legacy.match(rule)?.length ?? 0 };
  if (rules.nft !== rules.legacy) return rules.nft > rules.legacy ? "nft" : "legacy";
  return (await os.run(["iptables", "--version"])).includes("legacy") ? "legacy" : "nft";
}

/** A backend that is not installed, or that the kernel lacks, has no rules. */
function emptyWhenMissing(error: unknown): string {
  if (error instanceof CommandError) return "";
  throw error;
}
