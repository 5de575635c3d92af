/**
 * A stand-in for the ingress-nginx controller, which comes only as an image: Debian's nginx, configured from the
 * cluster's Ingress objects and reconfigured when these or their pods change. It is the suite's way in, not a product.
 *
 *     node --require ./.ci/compile-on-load.cjs k8s-tests/cluster/node/ingress/index.ts ADDRESS:PORT ADDRESS:TLS-PORT FOLDER
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CoreV1Api, DiscoveryV1Api, KubeConfig, NetworkingV1Api } from "@kubernetes/client-node";
import { certificateFiles, nginxConfig } from "./nginx-config";
import { type Certificate, certificates, ingressRoutes } from "./routes";

const PERIOD_MS = 500;
const [http = "", https = "", folder = ""] = process.argv.slice(2);
const target = { http, https, folder };

const kubeConfig = new KubeConfig();
kubeConfig.loadFromDefault();
const core = kubeConfig.makeApiClient(CoreV1Api);
const discovery = kubeConfig.makeApiClient(DiscoveryV1Api);
const networking = kubeConfig.makeApiClient(NetworkingV1Api);

async function wanted(): Promise<{ config: string; certificates: Certificate[] }> {
  const [ingresses, services, slices, secrets] = await Promise.all([
    networking.listIngressForAllNamespaces(),
    core.listServiceForAllNamespaces(),
    discovery.listEndpointSliceForAllNamespaces(),
    core.listSecretForAllNamespaces({ fieldSelector: "type=kubernetes.io/tls" }),
  ]);
  const routes = ingressRoutes(ingresses.items, services.items, slices.items);
  const shown = certificates(ingresses.items, secrets.items);
  return { config: nginxConfig(target, routes, shown), certificates: shown };
}

async function main(): Promise<void> {
  const file = join(folder, "nginx.conf");
  let written = nginxConfig(target, [], []);
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
      const { config, certificates } = await wanted();
      if (config !== written) {
        for (const { host, certificate, key } of certificates) {
          const [certificateFile, keyFile] = certificateFiles(folder, host);
          writeFileSync(certificateFile, certificate);
          writeFileSync(keyFile, key, { mode: 0o600 });
        }
        writeFileSync(file, config);
        nginx.kill("SIGHUP");
        written = config;
      }
    } catch (error) {
      // The routes stay as they are while the API server does not answer.
      console.error(String(error));
    }
    await delay(PERIOD_MS);
  }
}

void main();
