import { KubeConfig } from "@kubernetes/client-node";

/** The API server that k8s-tests/api-server/run started, as its administrator. */
export function apiServer(): KubeConfig {
  if (!process.env.KUBECONFIG) throw new Error("There is no API server: run k8s-tests/api-server/run.");
  const config = new KubeConfig();
  config.loadFromDefault();
  return config;
}
