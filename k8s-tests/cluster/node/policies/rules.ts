import type {
  V1LabelSelector,
  V1Namespace,
  V1NetworkPolicy,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
  V1Pod,
} from "@kubernetes/client-node";

/** The input of the rules. */
export interface Cluster {
  readonly policies: readonly V1NetworkPolicy[];
  readonly pods: readonly V1Pod[];
  readonly namespaces: readonly V1Namespace[];
}

/** A chain for iptables-restore, with its rules. */
export interface Chain {
  readonly name: string;
  readonly rules: readonly string[];
}

export const TOP = "NODE-POLICY";

/**
 * The chains by which every packet to or from a pod is judged, TOP first. A packet returns from them when it may pass:
 * its sender's policies let a connection's first packet out, and its receiver's let it in.
 */
export function policyChains(cluster: Cluster, kubelet: string): Chain[] {
  const pods = cluster.pods.filter(hasOwnAddress);
  const judged = pods.flatMap((pod) => [
    ...chainOf("Egress", pod, { ...cluster, pods }),
    ...chainOf("Ingress", pod, { ...cluster, pods }),
  ]);
  return [
    {
      name: TOP,
      rules: [
        "-m conntrack --ctstate ESTABLISHED,RELATED -j RETURN",
        // A node's kubelet always reaches its pods, for their probes.
        `-s ${kubelet} -j RETURN`,
        ...judged.map(({ match, name }) => `${match} -j ${name}`),
      ],
    },
    ...judged,
  ];
}

type Direction = "Ingress" | "Egress";

/** Empty for a pod that no policy of this direction selects: the pod is open. */
function chainOf(direction: Direction, pod: V1Pod, cluster: Cluster): (Chain & { match: string })[] {
  const selecting = cluster.policies.filter(
    ({ metadata, spec }) =>
      metadata?.namespace === pod.metadata?.namespace &&
      (spec?.policyTypes ?? []).includes(direction) &&
      selects(spec?.podSelector, pod.metadata?.labels),
  );
  if (selecting.length === 0) return [];
  const [near, far] = direction === "Ingress" ? ["-d", "-s"] : ["-s", "-d"];
  const allowed = selecting.flatMap(({ metadata, spec }) => {
    const rules =
      direction === "Ingress"
        ? (spec?.ingress ?? []).map(({ _from, ports }) => ({ peers: _from, ports }))
        : (spec?.egress ?? []).map(({ to, ports }) => ({ peers: to, ports }));
    return rules.flatMap(({ peers, ports }) => {
      const sides = peers?.length
        ? peers.flatMap((peer) => addresses(peer, metadata?.namespace, cluster))
        : [""];
      return sides.flatMap((side) =>
        portMatches(ports).map((port) =>
          [side && `${far} ${side}`, port, "-j RETURN"].filter(Boolean).join(" "),
        ),
      );
    });
  });
  return [
    {
      name: `NODE-${direction}-${pod.status?.podIP}`,
      match: `${near} ${pod.status?.podIP}`,
      // Not a refused connection: a client can tell a policy from a server that is away.
      rules: [...new Set(allowed), "-j REJECT --reject-with icmp-admin-prohibited"],
    },
  ];
}

/** Policies do not apply to pods that share the node's address. */
const hasOwnAddress = ({ spec, status }: V1Pod): boolean =>
  Boolean(status?.podIP) && !spec?.hostNetwork && !["Succeeded", "Failed"].includes(status?.phase ?? "");

/** `namespace`: of the policy. */
function addresses(peer: V1NetworkPolicyPeer, namespace: string | undefined, cluster: Cluster): string[] {
  if (peer.ipBlock) {
    if (peer.ipBlock.except?.length) throw new Error("This stand-in knows no exceptions of an ipBlock.");
    return [peer.ipBlock.cidr];
  }
  const spaces = new Set(
    cluster.namespaces
      .filter(({ metadata }) =>
        peer.namespaceSelector
          ? selects(peer.namespaceSelector, metadata?.labels)
          : metadata?.name === namespace,
      )
      .map(({ metadata }) => metadata?.name),
  );
  return cluster.pods
    .filter(({ metadata }) => spaces.has(metadata?.namespace) && selects(peer.podSelector, metadata?.labels))
    .map(({ status }) => status?.podIP ?? "");
}

function portMatches(ports: readonly V1NetworkPolicyPort[] | undefined): string[] {
  if (!ports?.length) return [""];
  return ports.map(({ protocol = "TCP", port, endPort }) => {
    if (typeof port === "string") throw new Error("This stand-in knows no ports by name.");
    const range = port === undefined ? "" : ` --dport ${port}${endPort ? `:${endPort}` : ""}`;
    return `-p ${protocol.toLowerCase()}${range}`;
  });
}

/** A selector that is absent or empty selects all. */
function selects(
  selector: V1LabelSelector | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  const wanted = Object.entries(selector?.matchLabels ?? {});
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    (selector?.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      const label = labels[key];
      if (operator === "Exists") return label !== undefined;
      if (operator === "DoesNotExist") return label === undefined;
      const among = label !== undefined && values.includes(label);
      return operator === "In" ? among : !among;
    })
  );
}

/** For `iptables-restore --noflush`: these chains as they are to be, and those of before gone. */
export function restoreInput(chains: readonly Chain[], before: readonly string[]): string {
  const names = chains.map(({ name }) => name);
  const gone = before.filter((name) => !names.includes(name));
  return [
    "*filter",
    ...[...names, ...gone].map((name) => `:${name} - [0:0]`),
    ...chains.flatMap(({ name, rules }) => rules.map((rule) => `-A ${name} ${rule}`)),
    ...gone.map((name) => `-X ${name}`),
    "COMMIT",
    "",
  ].join("\n");
}
