import type { KubeConfig } from "@kubernetes/client-node";

/** The pod's own namespace; outside a cluster that of KUBECONFIG's context. */
export const ownNamespace = (config: KubeConfig): string =>
  config.getContextObject(config.getCurrentContext())?.namespace ?? "default";
