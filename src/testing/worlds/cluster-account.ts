import { CoreV1Api, KubeConfig, RbacAuthorizationV1Api, type V1PolicyRule } from "@kubernetes/client-node";

/** Creates a service account with only these rights in a real cluster's namespace; returns its kubeconfig. */
export async function createServiceAccount(
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
  return serviceAccountConfig(config, namespace, account);
}

/** The kubeconfig of an existing service account, with its namespace. */
export async function serviceAccountConfig(
  config: KubeConfig,
  namespace: string,
  account: string,
): Promise<KubeConfig> {
  const core = config.makeApiClient(CoreV1Api);
  const { status } = await core.createNamespacedServiceAccountToken({
    ...{ name: account, namespace },
    body: { spec: { audiences: [], expirationSeconds: 3_600 } },
  });
  const cluster = config.getCurrentCluster();
  if (!cluster || !status?.token) throw new Error("KUBECONFIG names no cluster that gives tokens.");
  const theirs = new KubeConfig();
  theirs.loadFromOptions({
    clusters: [cluster],
    users: [{ name: account, token: status.token }],
    contexts: [{ name: account, cluster: cluster.name, user: account, namespace }],
    currentContext: account,
  });
  return theirs;
}
