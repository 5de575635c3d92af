import { CoreV1Api, KubeConfig, RbacAuthorizationV1Api, type V1PolicyRule } from "@kubernetes/client-node";

/** A service account of a real cluster's namespace that may do this and nothing else; what it logs in with. */
export async function accountIn(
  config: KubeConfig,
  namespace: string,
  account: string,
  rules: V1PolicyRule[],
): Promise<KubeConfig> {
  const core = config.makeApiClient(CoreV1Api);
  const rbac = config.makeApiClient(RbacAuthorizationV1Api);
  await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: account } } });
  await rbac.createNamespacedRole({ namespace, body: { metadata: { name: account }, rules } });
  await rbac.createNamespacedRoleBinding({
    namespace,
    body: {
      metadata: { name: account },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: account },
      subjects: [{ kind: "ServiceAccount", name: account, namespace }],
    },
  });
  return loggedIn(config, namespace, account);
}

/** What a service account that is there logs in with. */
export async function loggedIn(config: KubeConfig, namespace: string, account: string): Promise<KubeConfig> {
  const core = config.makeApiClient(CoreV1Api);
  const { status } = await core.createNamespacedServiceAccountToken({
    ...{ name: account, namespace },
    body: { spec: { audiences: [], expirationSeconds: 3_600 } },
  });
  const cluster = config.getCurrentCluster();
  if (!cluster || !status?.token) throw new Error("KUBECONFIG names no cluster that gives tokens.");
  const theirs = new KubeConfig();
  theirs.loadFromClusterAndUser(cluster, { name: account, token: status.token });
  return theirs;
}
