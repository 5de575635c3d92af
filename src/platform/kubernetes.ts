import type { KubeConfig } from "@kubernetes/client-node";

/** The pod's own namespace; outside a cluster that of KUBECONFIG's context. */
export const ownNamespace = (config: KubeConfig): string =>
  config.getContextObject(config.getCurrentContext())?.namespace ?? "default";

/** For the `catch` of a read: undefined when the API server has no such object. */
export function ignoreNotFound(error: unknown): undefined {
  if ((error as { code?: number }).code === 404) return undefined;
  throw error;
}
