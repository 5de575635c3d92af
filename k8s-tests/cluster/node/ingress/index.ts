/**
 * A stand-in for the ingress-nginx controller, which comes only as an image: Debian's nginx, configured from the
 * cluster's Ingress objects and told whenever these or their pods change. It is the suite's way in, not a product.
 *
 *     node --require @swc-node/register k8s-tests/cluster/node/ingress/index.ts ADDRESS:PORT FOLDER
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CoreV1Api, DiscoveryV1Api, KubeConfig, NetworkingV1Api } from "@kubernetes/client-node";
import { nginxConfig } from "./nginx-config";
import { ingressRoutes } from "./routes";

const PERIOD_MS = 500;
const [listen = "", folder = ""] = process.argv.slice(2);

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const core = kubeConfig.makeApiClient(CoreV1Api);
const discovery = kubeConfig.makeApiClient(DiscoveryV1Api);
const networking = kubeConfig.makeApiClient(NetworkingV1Api);

async function wanted(): Promise<string> {
  const [ingresses, services, slices] = await Promise.all([
    networking.listIngressForAllNamespaces(),
    core.listServiceForAllNamespaces(),
    discovery.listEndpointSliceForAllNamespaces(),
  ]);
  return nginxConfig(listen, folder, ingressRoutes(ingresses.items, services.items, slices.items));
}

async function main(): Promise<void> {
  const file = join(folder, "nginx.conf");
  let written = nginxConfig(listen, folder, []);
  writeFileSync(file, written);
  const nginx = spawn("nginx", ["-p", folder, "-c", file, "-e", "stderr"], { stdio: "inherit" });
  let stopping = false;
  const ended = once(nginx, "exit");
  for (const signal of ["SIGTERM", "SIGINT"]) {
    process.once(signal, () => {
      stopping = true;
      nginx.kill("SIGTERM");
    });
  }
  void ended.then(([code]) => process.exit(stopping ? 0 : (code ?? 1)));
  while (!stopping) {
    try {
      const config = await wanted();
      if (config !== written) {
        writeFileSync(file, config);
        nginx.kill("SIGHUP");
        written = config;
      }
    } catch (error) {
      // What is served goes on as it is while the API server does not answer.
      console.error(String(error));
    }
    await delay(PERIOD_MS);
  }
}

void main();
