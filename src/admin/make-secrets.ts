import { z } from "zod";
import { loadConfig } from "../platform/config";
import { ownNamespace } from "../platform/kubernetes";
import { parseJson } from "../platform/parse-json";
import type { AdminCommand } from "./command";
import { ensureSecretKeys } from "./ensure-secret-keys";

/** `{"fleet-keys": {"JWT_SECRET": "password"}}`: each Secret's keys, and of what kind each is. */
const SecretKinds = z.record(
  z.string(),
  z.record(z.string().regex(/^[-._a-zA-Z0-9]+$/), z.enum(["password", "wireguard", "signing"])),
);

export const command: AdminCommand = {
  usage: "make-secrets SECRETS",
  summary:
    "Create Kubernetes Secrets in the pod's own namespace, and the keys that they lack. Existing keys are never changed. SECRETS is JSON: Secret → key → `password`, `wireguard` (a private key) or `signing` (an Ed25519 key).",

  async run([text = "", ...others]) {
    const secrets = SecretKinds.safeParse(parseJson(text));
    if (!secrets.success || others.length > 0)
      throw new Error(
        `usage: admin ${command.usage}\nSECRETS is JSON, such as {"keys": {"JWT_SECRET": "password"}}.`,
      );
    // Names variables of an earlier release; it needs none itself.
    loadConfig(z.object({}));
    // Loaded here: it is large, and no other command needs it.
    const { CoreV1Api, KubeConfig } = await import("@kubernetes/client-node");
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromDefault();
    const target = { core: kubeConfig.makeApiClient(CoreV1Api), namespace: ownNamespace(kubeConfig) };
    for (const [name, kinds] of Object.entries(secrets.data)) {
      const made = await ensureSecretKeys(target, name, kinds);
      process.stdout.write(
        `${name}: ${made.length > 0 ? `made ${made.join(", ")}` : "nothing is missing"}\n`,
      );
    }
  },
};
